import { parsePythonJson } from "@hermes/state-core";

const BEGINS_JSON = /^\s*[[{"]/;
const ASCII = /^[\x20-\x7e]*$/;

/** What to do with one string of a JSON text; `name` is the member it is the value of. */
export type RedactString = (text: string, name: string | undefined, what: "name" | "text" | "number") => string;

/**
 * Redacts the strings and numbers of a JSON text and leaves everything else as it is spelled: space, order, and every
 * number that is no secret. A list has the name of its member.
 *
 * @returns Undefined when the text is no JSON structure.
 */
export function redactJsonText(text: string, redactString: RedactString): string | undefined {
  if (!BEGINS_JSON.test(text) || !isJson(text)) return undefined;
  return new Walk(text, redactString).run();
}

/** Goes from string to string through a text that is known to be JSON. */
class Walk {
  readonly #parts: string[] = [];
  #copied = 0;
  #name: string | undefined;
  /** Names of the lists around, the innermost last; undefined for an object. */
  readonly #around: (string | undefined)[] = [];

  constructor(
    private readonly text: string,
    private readonly redactString: RedactString,
  ) {}

  run(): string {
    const { text } = this;
    for (let at = 0; at < text.length;) {
      const start = text.indexOf('"', at);
      this.#between(at, start < 0 ? text.length : start);
      if (start < 0) break;
      at = endOfString(text, start);
      this.#string(start, at);
    }
    return this.#parts.length === 0 ? text : this.#parts.join("") + text.slice(this.#copied);
  }

  /** Brackets, commas and numbers between two strings. */
  #between(start: number, end: number): void {
    const piece = this.text.slice(start, end);
    for (const { 0: token, index } of piece.matchAll(/[[\]{},]|-?\d[\d.eE+-]*/g)) {
      if (token === "[") this.#around.push(this.#name);
      else if (token === "{") this.#around.push(undefined);
      else if (token === "]" || token === "}") this.#around.pop();
      else if (token !== ",")
        this.#replace(start + index, token, this.redactString(token, this.#name, "number"), token);
      if (token !== "[") this.#name = token === "{" ? undefined : this.#around.at(-1);
    }
  }

  #string(start: number, end: number): void {
    const raw = this.text.slice(start, end);
    const value = JSON.parse(raw) as string;
    const isName = this.#isName(end);
    const redacted = this.redactString(value, isName ? undefined : this.#name, isName ? "name" : "text");
    this.#replace(start, raw, redacted, value);
    this.#name = isName ? value : this.#around.at(-1);
  }

  #isName(end: number): boolean {
    let at = end;
    while (" \t\r\n".includes(this.text[at] ?? ".")) at += 1;
    return this.text[at] === ":";
  }

  #replace(start: number, raw: string, redacted: string, value: string): void {
    if (redacted === value) return;
    this.#parts.push(this.text.slice(this.#copied, start), spelled(redacted, raw));
    this.#copied = start + raw.length;
  }
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
