const FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/;
const BLANK = /^\s*$/;
const CODE_BLOCK = /^(?: {4}|\t)/;
/** A span of code, or the beginning of an element, a comment or a declaration; addresses in angle brackets are none. */
const SPAN_OR_ELEMENT = /(?<!`)(`+)(?!`)[^]*?[^`]\1(?!`)|<(?=[A-Za-z/!?])(?!https?:|mailto:)/g;

interface Fence {
  readonly indent: string;
  readonly mark: string;
}

/**
 * Markdown that somebody wrote, so that it ends where it ends: a block of code that was left open is closed, and HTML
 * is shown instead of obeyed, since an open comment or element would swallow what follows, and an anchor could pose as
 * another message's. Code stays as it is.
 */
export function settleMarkdown(text: string): string {
  const settled: string[] = [];
  let prose: string[] = [];
  let fence: Fence | undefined;
  const settleProse = (): void => {
    if (prose.length > 0) settled.push(showElements(prose.join("\n")));
    prose = [];
  };
  for (const line of text.split("\n")) {
    const next = fenceAfter(fence, line);
    if (fence ?? next) {
      settleProse();
      settled.push(line);
    } else if (BLANK.test(line)) {
      settleProse();
      settled.push(line);
    } else prose.push(line);
    fence = next;
  }
  settleProse();
  return fence ? `${settled.join("\n").replace(/\n$/, "")}\n${fence.indent}${fence.mark}` : settled.join("\n");
}

/** Whether a block of code is open behind this line. */
function fenceAfter(open: Fence | undefined, line: string): Fence | undefined {
  const [, indent = "", mark = "", rest = ""] = FENCE.exec(line) ?? [];
  if (open) return mark.startsWith(open.mark) && BLANK.test(rest) ? undefined : open;
  return mark === "" || (mark.startsWith("`") && rest.includes("`")) ? undefined : { indent, mark };
}

function showElements(paragraph: string): string {
  if (CODE_BLOCK.test(paragraph)) return paragraph;
  return paragraph.replace(SPAN_OR_ELEMENT, (found) => (found === "<" ? "&lt;" : found));
}
