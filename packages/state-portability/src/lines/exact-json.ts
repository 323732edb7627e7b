import { parsePythonJson } from "@hermes/state-core";

/** Ids of chats and messages are often whole numbers beyond 2^53, which a JavaScript number would change. */
const MAYBE_LARGE = /\d{16}/;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const WHOLE = /^-?\d{16,}$/;
const MARK = "\u0000whole-number:";
const MARKED = /"\\u0000whole-number:(-?\d+)"/g;

/**
 * Parses JSON, with whole numbers beyond 2^53 as bigint. Bare `NaN` and `Infinity` are read as Python writes them.
 *
 * @throws SyntaxError when it is not JSON.
 */
export function parseExactJson(text: string): unknown {
  const plain = parsePythonJson(text);
  if (!MAYBE_LARGE.test(text)) return plain;
  let marks = 0;
  const marked = text.replace(TOKEN, (token) => {
    if (!WHOLE.test(token) || Number.isSafeInteger(Number(token))) return token;
    marks += 1;
    return JSON.stringify(MARK + token);
  });
  return marks > 0 ? restored(parsePythonJson(marked)) : plain;
}

function restored(value: unknown): unknown {
  if (typeof value === "string") return value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(restored);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, restored(member)]));
}

/** Writes JSON, bigint as whole numbers. */
export function exactJson(value: unknown): string {
  let marks = 0;
  const text = JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== "bigint") return member;
    marks += 1;
    return MARK + member.toString();
  });
  return marks > 0 ? text.replace(MARKED, "$1") : text;
}
