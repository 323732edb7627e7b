/** A regular expression, taken apart as far as its work can be judged. */
export type PatternNode =
  /** One character; `source` is the class, escape or literal it has to match. */
  | { readonly kind: "character"; readonly source: string }
  /** `^`, `$`, `\b` or `\B`. */
  | { readonly kind: "anchor"; readonly source: string }
  | { readonly kind: "look"; readonly behind: boolean; readonly negative: boolean; readonly body: PatternNode }
  | { readonly kind: "back-reference"; readonly source: string }
  | { readonly kind: "sequence"; readonly items: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly options: readonly PatternNode[] }
  | {
      readonly kind: "repeat";
      readonly body: PatternNode;
      readonly min: number;
      /** Infinity for no limit. */
      readonly max: number;
      readonly lazy: boolean;
    };

const QUANTIFIER = /(?:([*+?])|\{(\d+)(,(\d*))?\})(\??)/y;
const GROUP = /\((?:\?(?::|<[\p{L}\p{N}_$]+>)|(?!\?))/uy;
const LOOK = /\(\?(<?)([=!])/y;
const BACK_REFERENCE = /\\(?:[1-9]\d*|k<[^>]*>)/y;
const ANCHOR = /\^|\$|\\[bB]/y;
const ESCAPE = /\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[^])/uy;

/**
 * Takes a regular expression apart.
 *
 * @param pattern - One that the engine has accepted.
 * @throws RangeError for a kind of group that is not known here.
 */
export function patternTree(pattern: RegExp): PatternNode {
  return new Parser(pattern).parse();
}

class Parser {
  readonly #source: string;
  readonly #nested: boolean;
  readonly #byCodePoint: boolean;
  #at = 0;

  constructor({ source, flags }: RegExp) {
    this.#source = source;
    this.#nested = flags.includes("v");
    this.#byCodePoint = this.#nested || flags.includes("u");
  }

  parse(): PatternNode {
    return this.#choice();
  }

  #choice(): PatternNode {
    const options = [this.#sequence()];
    while (this.#source[this.#at] === "|") {
      this.#at += 1;
      options.push(this.#sequence());
    }
    return options.length === 1 && options[0] ? options[0] : { kind: "choice", options };
  }

  #sequence(): PatternNode {
    const items: PatternNode[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at] ?? "")) {
      items.push(this.#quantified(this.#piece()));
    }
    return { kind: "sequence", items };
  }

  #piece(): PatternNode {
    const look = this.#take(LOOK);
    if (look) return { kind: "look", behind: look[1] === "<", negative: look[2] === "!", body: this.#group() };
    if (this.#take(GROUP)) return this.#group();
    if (this.#source[this.#at] === "(") throw new RangeError(`unknown group at ${this.#at} of ${this.#source}`);
    const reference = this.#take(BACK_REFERENCE);
    if (reference) return { kind: "back-reference", source: reference[0] };
    const anchor = this.#take(ANCHOR);
    return anchor ? { kind: "anchor", source: anchor[0] } : { kind: "character", source: this.#character() };
  }

  /** What stands up to the closing parenthesis, which is taken as well. */
  #group(): PatternNode {
    const body = this.#choice();
    this.#at += 1;
    return body;
  }

  #character(): string {
    if (this.#source[this.#at] === "[") return this.#class();
    const escape = this.#take(ESCAPE);
    if (escape) return escape[0];
    const point = this.#source.codePointAt(this.#at) ?? 0;
    const source = this.#byCodePoint ? String.fromCodePoint(point) : (this.#source[this.#at] ?? "");
    this.#at += source.length;
    return source;
  }

  /** Brackets in brackets are classes of their own with the flag `v` only. */
  #class(): string {
    const start = this.#at;
    for (let open = 0; ;) {
      const unit = this.#source[this.#at];
      this.#at += unit === "\\" ? 2 : 1;
      if (unit === "[" && (open === 0 || this.#nested)) open += 1;
      else if (unit === "]") open -= 1;
      if (open === 0) return this.#source.slice(start, this.#at);
    }
  }

  #quantified(body: PatternNode): PatternNode {
    const found = this.#take(QUANTIFIER);
    if (!found) return body;
    const [, sign, least, comma, most, lazy] = found;
    const min = sign === undefined ? Number(least) : sign === "+" ? 1 : 0;
    const open = sign === undefined ? comma !== undefined && most === "" : sign !== "?";
    const max = open ? Infinity : sign === "?" ? 1 : Number(most ?? least);
    return { kind: "repeat", body, min, max, lazy: lazy === "?" };
  }

  #take(what: RegExp): RegExpExecArray | null {
    what.lastIndex = this.#at;
    const found = what.exec(this.#source);
    if (found) this.#at += found[0].length;
    return found;
  }
}
