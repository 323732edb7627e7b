import { characterClass, SEPARATOR } from "../meaning/character-class.js";
import type { TermNode } from "./query.js";
import { readPhrase, readTerms } from "./read-terms.js";

/** An operator of the language, written in upper case between terms. */
export type Operator = "AND" | "OR" | "NOT";

/** A piece of a query. */
export type Lexeme =
  | { readonly type: "term"; readonly term: TermNode }
  | { readonly type: "operator"; readonly operator: Operator }
  | { readonly type: "open" }
  | { readonly type: "close" };

const OPERATORS: ReadonlySet<string> = new Set(["AND", "OR", "NOT"]);
const SPACE = /[\s\p{Cc}]/u;
// The engine's distance operator is not offered. Its spelling is read as the words it holds.
const NEAR_GROUP = /(?<![^\s(])NEAR\s*\(([^()"]*),\s*\d+\s*\)/g;
const NEAR_OPERATOR = /^NEAR(?:\/\d+)$/;

function isSpace(character: string): boolean {
  return characterClass(character.charCodeAt(0)) === SEPARATOR && SPACE.test(character);
}

class QueryLexer {
  readonly #text: string;
  readonly #lexemes: Lexeme[] = [];
  #index = 0;

  constructor(text: string) {
    this.#text = text.replace(NEAR_GROUP, " ($1)");
  }

  lex(): readonly Lexeme[] {
    const text = this.#text;
    while (this.#index < text.length) {
      const character = text.charAt(this.#index);
      if (character === "(") this.#push({ type: "open" });
      else if (character === ")") this.#push({ type: "close" });
      else if (character === '"') this.#phrase();
      else if (isSpace(character)) this.#index += 1;
      else this.#stretch();
    }
    return this.#lexemes;
  }

  #push(lexeme: Lexeme): void {
    this.#lexemes.push(lexeme);
    this.#index += 1;
  }

  /** Balanced quotes hold a phrase; a quote without a second one is a space. */
  #phrase(): void {
    const end = this.#text.indexOf('"', this.#index + 1);
    if (end === -1) {
      this.#index += 1;
      return;
    }
    const starred = this.#text.charAt(end + 1) === "*";
    const term = readPhrase(this.#text.slice(this.#index + 1, end), starred);
    if (term) this.#lexemes.push({ type: "term", term });
    this.#index = end + 1;
  }

  #stretch(): void {
    const start = this.#index;
    const text = this.#text;
    while (this.#index < text.length && !this.#endsStretch(text.charAt(this.#index))) this.#index += 1;
    const stretch = text.slice(start, this.#index);
    if (OPERATORS.has(stretch)) this.#lexemes.push({ type: "operator", operator: stretch as Operator });
    else if (NEAR_OPERATOR.test(stretch) || (stretch === "NEAR" && text.charAt(this.#index) === "(")) return;
    else for (const term of readTerms(stretch)) this.#lexemes.push({ type: "term", term });
  }

  #endsStretch(character: string): boolean {
    return character === "(" || character === ")" || character === '"' || isSpace(character);
  }
}

/** Cuts a query into pieces. Takes any text and is linear in it (SEA-02). */
export function lexQuery(text: string): readonly Lexeme[] {
  return new QueryLexer(text).lex();
}
