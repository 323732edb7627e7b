import { createHash } from "node:crypto";
import { RawText } from "../rows/raw-row.js";
import type { Cell } from "../rows/raw-row.js";
import { checkPatterns } from "./check-patterns.js";
import type { OwnPatterns } from "./check-patterns.js";
import { SECRET_NAME } from "./context-patterns.js";
import { changeEncoded } from "./encoded-text.js";
import { redactJsonText } from "./redact-json-text.js";
import { SECRET_PATTERNS } from "./secret-patterns.js";
import type { SecretPattern } from "./secret-pattern.js";

const CONTENT_PREFIX = "\u0000json:";
/** JSON in a string of JSON in a string: each doubles what stands before its quotes, so none goes deeper. */
const DEEPEST = 32;
/** Base64 of Base64. */
const DEEPEST_ENCODED = 3;
const ANY_REDACTED = /^\[REDACTED:[a-z][a-z0-9-]*(?::[0-9a-f]+)?\]$/;
const MARKS = /(\[REDACTED:[a-z][a-z0-9-]*(?::[0-9a-f]+)?\])/;
const ID_DIGITS = 12;

/** Members of JSON that name a session, a message or a call: what they name is called the same everywhere. */
const REFERENCE_NAME =
  /^(?:id|_(?:branched|delegate|reset)_from|(?:parent_)?(?:session|message|call|tool_call|response|item|thread|chat|user)_?id|session_key)$/i;

/** Takes secrets out of texts, and counts them by kind. */
export class Redactor {
  readonly #own: readonly SecretPattern[];
  readonly #counts: Record<string, number> = {};

  constructor(own?: OwnPatterns) {
    this.#own = checkPatterns(own);
  }

  /** How many were taken out, by kind. */
  get counts(): Readonly<Record<string, number>> {
    return this.#counts;
  }

  /** A text without secrets; one that holds JSON stays JSON. */
  text(text: string, depth = 0): string {
    const prefix = text.startsWith(CONTENT_PREFIX) ? CONTENT_PREFIX : "";
    const json =
      depth < DEEPEST
        ? redactJsonText(text.slice(prefix.length), (part, name, what) =>
            what === "number" ? this.#number(part, name) : this.#member(part, name, depth + 1),
          )
        : undefined;
    return json === undefined ? this.#plain(text) : prefix + json;
  }

  /**
   * A name that other rows refer to: names that differ stay different, and the same name becomes the same.
   */
  id(text: string, depth = 0): string {
    if (this.text(text, depth) === text) return text;
    const digest = createHash("sha256").update(text, "utf8").digest("hex").slice(0, ID_DIGITS);
    return `[REDACTED:id:${digest}]`;
  }

  /** A cell of a row; bytes are searched as well. */
  cell(cell: Cell): Cell {
    if (typeof cell === "string") return this.text(cell);
    if (cell instanceof RawText) {
      const bytes = this.#bytes(cell.bytes);
      return bytes === cell.bytes ? cell : new RawText(bytes);
    }
    return cell instanceof Uint8Array ? this.#bytes(cell) : cell;
  }

  /** A value with all strings in it, member names included. */
  value(value: unknown, name?: string): unknown {
    if (typeof value === "string") return this.#member(value, name, 0);
    if (typeof value === "number" || typeof value === "bigint") return this.#numeric(value, name);
    if (Array.isArray(value)) return value.map((item) => this.value(item, name));
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
    const members = new Map<string, unknown>();
    for (const [key, member] of Object.entries(value)) {
      members.set(freeName(members, this.text(key)), this.value(member, key));
    }
    return Object.fromEntries(members);
  }

  #member(text: string, name: string | undefined, depth: number): string {
    if (name !== undefined && REFERENCE_NAME.test(name)) return this.id(text, depth);
    const redacted = this.text(text, depth);
    if (name === undefined || text === "" || !SECRET_NAME.test(name) || ANY_REDACTED.test(redacted)) return redacted;
    return this.#mark("password");
  }

  #numeric(value: number | bigint, name: string | undefined): unknown {
    const text = String(value);
    const redacted = this.#number(text, name);
    return redacted === text ? value : redacted;
  }

  /** Digits are a secret only when a pattern of the caller says so, or their name does; tokens are counted, too. */
  #number(digits: string, name: string | undefined): string {
    const named = name !== undefined && digits.length >= 4 && SECRET_NAME.test(name) && !/token/i.test(name);
    return named ? this.#mark("password") : this.#ownPlain(digits);
  }

  #bytes(bytes: Uint8Array): Uint8Array {
    const text = Buffer.from(bytes).toString("latin1");
    const redacted = this.#plain(text);
    return redacted === text ? bytes : Buffer.from(redacted, "latin1");
  }

  #plain(text: string, encoded = 0): string {
    const opened =
      encoded < DEEPEST_ENCODED ? changeEncoded(text, (decoded) => this.#decoded(decoded, encoded + 1)) : text;
    const low = opened.toLowerCase();
    const wanted = SECRET_PATTERNS.filter(
      ({ needs }) => needs === undefined || needs.some((part) => low.includes(part)),
    );
    return this.#ownPlain(wanted.reduce((rest, pattern) => this.#replace(rest, pattern), opened));
  }

  #decoded(text: string, encoded: number): string {
    const json = redactJsonText(text, (part, name, what) =>
      what === "number" ? this.#number(part, name) : this.#member(part, name, 1),
    );
    return json ?? this.#plain(text, encoded);
  }

  /** Patterns of the caller see no mark, so that none is marked again. */
  #ownPlain(text: string): string {
    if (this.#own.length === 0) return text;
    return text
      .split(MARKS)
      .map((piece, index) =>
        index % 2 === 1 ? piece : this.#own.reduce((rest, own) => this.#replace(rest, own), piece),
      )
      .join("");
  }

  #replace(text: string, { kind, pattern }: SecretPattern): string {
    return text.replace(pattern, (...found: unknown[]) => {
      const groups = found.at(-1) as { readonly keep?: string } | string | undefined;
      return (typeof groups === "object" ? (groups.keep ?? "") : "") + this.#mark(kind);
    });
  }

  #mark(kind: string): string {
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1;
    return `[REDACTED:${kind}]`;
  }
}

/** Two names that were redacted to the same one stay two. */
function freeName(taken: ReadonlyMap<string, unknown>, name: string): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}#${number}`;
  return free;
}
