import type { TermNode } from "../language/query.js";
import { SearchedText, type Span } from "../judge/searched-text.js";

const BEGIN = ">>>";
const END = "<<<";
const ELLIPSIS = "...";
/** How much text a snippet shows, and how much of it before the first match, in code units. */
const LENGTH = 200;
const LEAD = 40;
const MOST_SPANS = 64;

function edge(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff ? index - 1 : index;
}

function merge(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return merged;
}

function mark(text: string, spans: readonly Span[], from: number, to: number): string {
  let marked = "";
  let at = from;
  for (const span of spans) {
    const start = Math.max(span.start, at);
    const end = Math.min(span.end, to);
    if (start >= end) continue;
    marked += `${text.slice(at, start)}${BEGIN}${text.slice(start, end)}${END}`;
    at = end;
  }
  return marked + text.slice(at, to);
}

/**
 * A stretch of a message around its first match, at most 200 characters of text, with the matches marked (SEA-05).
 *
 * @param texts - The texts of the message; the one that shows most of the terms is taken.
 * @param terms - What may be marked.
 */
export function snippetOf(texts: readonly string[], terms: readonly TermNode[]): string {
  let best: { text: string; spans: readonly Span[]; terms: number } | undefined;
  for (const text of texts) {
    const searched = new SearchedText(text);
    const found = terms.map((term) => searched.spans(term, MOST_SPANS)).filter((spans) => spans.length > 0);
    if (found.length > (best?.terms ?? -1)) best = { text, spans: merge(found.flat()), terms: found.length };
  }
  if (best === undefined) return "";
  const { text, spans } = best;
  const from = edge(text, Math.max(0, Math.min((spans[0]?.start ?? 0) - LEAD, text.length - LENGTH)));
  const to = edge(text, Math.min(text.length, from + LENGTH));
  return `${from > 0 ? ELLIPSIS : ""}${mark(text, spans, from, to)}${to < text.length ? ELLIPSIS : ""}`;
}
