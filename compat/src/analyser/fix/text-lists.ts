import type { TextEdit } from "../compat-hit.js";
import type { SyntaxNode } from "../source-tree.js";

const COMMA = /^\s*,\s*$/;
const TO_COMMA = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*,/y;

/** The start of a line below, as far in as the line of an offset. */
export function lineBreak(text: string, at: number): string {
  const indent = /^[^\S\n]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))?.[0] ?? "";
  return `${text.includes("\r\n") ? "\r\n" : "\n"}${indent.replace("\uFEFF", "")}`;
}

/** The semicolon of a statement that has one. */
export function endOf(text: string, statement: SyntaxNode): ";" | "" {
  return text[statement.range[1] - 1] === ";" ? ";" : "";
}

/** Neighbours with nothing but a comma between them go as one. */
function runsOf(text: string, items: readonly SyntaxNode[], gone: ReadonlySet<SyntaxNode>): [number, number][] {
  const runs: [number, number][] = [];
  items.forEach((item, at) => {
    if (!gone.has(item)) return;
    const [last, before] = [runs.at(-1), items[at - 1]];
    const joins = last && before?.range[1] === last[1] && COMMA.test(text.slice(last[1], item.range[0]));
    if (joins) last[1] = item.range[1];
    else runs.push([...item.range]);
  });
  return runs;
}

/** Takes items out of a list in braces. What stays keeps its place, and so do all comments. */
export function takeOut(text: string, items: readonly SyntaxNode[], gone: ReadonlySet<SyntaxNode>): TextEdit[] {
  return runsOf(text, items, gone).flatMap(([start, end]): TextEdit[] => {
    TO_COMMA.lastIndex = end;
    const comma = TO_COMMA.exec(text)?.[0];
    const before = items.findLast(({ range }) => range[1] <= start);
    const last = comma === undefined || /^\s*\}/.test(text.slice(end + comma.length));
    if (last && before && !gone.has(before) && COMMA.test(text.slice(before.range[1], start))) {
      return [{ range: [before.range[1], end], text: "" }];
    }
    if (comma === undefined) return [{ range: [start, end], text: "" }];
    if (!COMMA.test(comma)) {
      const at = end + comma.length;
      return [
        { range: [start, end], text: "" },
        { range: [at - 1, at], text: "" },
      ];
    }
    const space = /^\s*/.exec(text.slice(end + comma.length))?.[0] ?? "";
    return [{ range: [start, end + comma.length + space.length], text: "" }];
  });
}
