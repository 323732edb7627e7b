import { createHash } from "node:crypto";
import { RawText } from "../rows/raw-row.js";
import type { Cell } from "../rows/raw-row.js";
import { checkPatterns } from "./check-patterns.js";
import type { OwnPatterns } from "./check-patterns.js";
import { redactJsonText } from "./redact-json-text.js";
import { SECRET_NAME } from "./secret-patterns.js";
import type { SecretPattern } from "./secret-patterns.js";

const CONTENT_PREFIX = "\u0000json:";
/** JSON in a string of JSON in a string: deeper ones are looked at as text. */
const DEEPEST = 8;
const ANY_REDACTED = /^\[REDACTED:[a-z][a-z0-9-]*(?::[0-9a-f]+)?\]$/;
const ID_DIGITS = 12;

/** Takes secrets out of texts, and counts them by kind. */
export class Redactor {
  readonly #patterns: readonly SecretPattern[];
  readonly #counts: Record<string, number> = {};

  constructor(own?: OwnPatterns) {
    this.#patterns = checkPatterns(own);
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
        ? redactJsonText(text.slice(prefix.length), (part, name) => this.#member(part, name, depth + 1))
        : undefined;
    return json === undefined ? this.#plain(text) : prefix + json;
  }

  /**
   * A name that other rows refer to: names that differ stay different, and the same name becomes the same.
   */
  id(text: string): string {
    if (this.text(text) === text) return text;
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
    if (Array.isArray(value)) return value.map((item) => this.value(item, name));
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [this.#plain(key), this.value(member, key)] as const),
    );
  }

  #member(text: string, name: string | undefined, depth: number): string {
    const redacted = this.text(text, depth);
    if (name === undefined || text === "" || !SECRET_NAME.test(name) || ANY_REDACTED.test(redacted)) return redacted;
    return this.#mark("password");
  }

  #bytes(bytes: Uint8Array): Uint8Array {
    const text = Buffer.from(bytes).toString("latin1");
    const redacted = this.#plain(text);
    return redacted === text ? bytes : Buffer.from(redacted, "latin1");
  }

  #plain(text: string): string {
    let redacted = text;
    for (const { kind, pattern } of this.#patterns) {
      redacted = redacted.replace(pattern, (...found: unknown[]) => {
        const groups = found.at(-1) as { readonly keep?: string } | string | undefined;
        return (typeof groups === "object" ? (groups.keep ?? "") : "") + this.#mark(kind);
      });
    }
    return redacted;
  }

  #mark(kind: string): string {
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1;
    return `[REDACTED:${kind}]`;
  }
}
