/** The style of an exported page: light and dark, one column on a phone, readable on paper. */
export const PAGE_STYLE: string = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 48rem; padding: 1rem; overflow-wrap: anywhere; }
header, article { border-bottom: 1px solid var(--line); padding: 0.75rem 0; }
h1 { font-size: 1.5rem; margin: 2rem 0 0.25rem; }
h2 { font-size: 0.9rem; margin: 0 0 0.25rem; opacity: 0.75; font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: 0.5rem 0; font-size: 0.9rem; }
dd { margin: 0; }
.text { white-space: pre-wrap; margin: 0; font: inherit; }
pre.data { white-space: pre-wrap; background: var(--soft); padding: 0.5rem; margin: 0.5rem 0; font-size: 0.85rem; }
.user { border-left: 4px solid #38f8; padding-left: 0.75rem; }
.tool, .archived { opacity: 0.85; }
img { max-width: 100%; height: auto; display: block; margin: 0.5rem 0; }
summary { cursor: pointer; font-size: 0.9rem; }
summary, h2 { white-space: pre-line; }
@media print {
  body { max-width: none; font-size: 11pt; }
  h1, h2 { break-after: avoid-page; }
  section + section { break-before: page; }
  details::details-content { content-visibility: visible; }
}
`.trim();
