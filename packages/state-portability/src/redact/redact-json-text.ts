import { parsePythonJson } from "@hermes/state-core";

const BEGINS_JSON = /^\s*[[{"]/;
const ASCII = /^[\x20-\x7e]*$/;

/** What to do with one string of a JSON text; `name` is the member it is the value of. */
export type RedactString = (text: string, name: string | undefined) => string;

/**
 * Redacts the strings of a JSON text and leaves everything else as it is spelled: numbers, space, order.
 *
 * @returns Undefined when the text is no JSON structure.
 */
export function redactJsonText(text: string, redactString: RedactString): string | undefined {
  if (!BEGINS_JSON.test(text) || !isJson(text)) return undefined;
  const parts: string[] = [];
  let copied = 0;
  let name: string | undefined;
  for (let start = text.indexOf('"'); start >= 0;) {
    const end = endOfString(text, start);
    const raw = text.slice(start, end);
    const value = JSON.parse(raw) as string;
    const isName = /^\s{0,64}:/.test(text.slice(end, end + 80));
    const redacted = redactString(value, isName ? undefined : name);
    if (redacted !== value) {
      parts.push(text.slice(copied, start), spelled(redacted, raw));
      copied = end;
    }
    start = text.indexOf('"', end);
    name = isName && /^\s*:\s*$/.test(text.slice(end, Math.max(start, end)).slice(0, 80)) ? value : undefined;
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(copied);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Python also writes NaN and Infinity.
  }
  try {
    parsePythonJson(text);
    return true;
  } catch {
    // Text that only begins like JSON is redacted as text.
    return false;
  }
}

/** Just beyond the closing quote. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at += 1;
    else if (code === 0x22) return at + 1;
  }
  return text.length;
}

/** Python spells JSON in ASCII, and rows are compared as text. */
function spelled(value: string, like: string): string {
  const json = JSON.stringify(value);
  if (!ASCII.test(like)) return json;
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
