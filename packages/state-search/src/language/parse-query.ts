import { cutAtToken } from "../meaning/cut-at-token.js";
import { lexQuery, type Lexeme, type Operator } from "./lex-query.js";
import type { Query, QueryHint, QueryNode } from "./query.js";
import { allOf, anyOf } from "./tree.js";

/** The longest query that is read, in characters (SEA-02). */
const QUERY_CHARACTERS = 2048;

/** What a part of a query comes to: something to find, or only things that must not be there. */
interface Clause {
  readonly find: QueryNode | undefined;
  readonly none: readonly QueryNode[];
}

const NOTHING: Clause = { find: undefined, none: [] };

/** Parses groups of `a AND b NOT c OR d`: OR binds least, NOT takes the next term or group. */
class QueryParser {
  readonly #lexemes: readonly Lexeme[];
  #index = 0;
  hint: QueryHint | undefined;

  constructor(lexemes: readonly Lexeme[]) {
    this.#lexemes = lexemes;
  }

  parse(): Clause {
    return this.#alternatives(0);
  }

  /** @param depth - How many groups are open; at depth 0 a closing parenthesis closes nothing and is ignored. */
  #alternatives(depth: number): Clause {
    const clauses: Clause[] = [];
    let find: QueryNode[] = [];
    let none: QueryNode[] = [];
    const flush = (): void => {
      if (find.length > 0) clauses.push({ find: allOf(find, none), none: [] });
      else if (none.length > 0) clauses.push({ find: undefined, none });
      find = [];
      none = [];
    };
    for (;;) {
      const operator = this.#operators();
      const lexeme = this.#lexemes[this.#index];
      if (lexeme === undefined) break;
      this.#index += 1;
      if (lexeme.type === "close") {
        if (depth > 0) break;
        continue;
      }
      const clause = this.#primary(lexeme, depth);
      if (clause.find === undefined && clause.none.length === 0) continue;
      if (operator === "OR") flush();
      if (operator !== "NOT") {
        if (clause.find) find.push(clause.find);
        none.push(...clause.none);
      } else if (clause.find) none.push(clause.find);
      else find.push(anyOf(clause.none));
    }
    flush();
    return this.#either(clauses);
  }

  #primary(lexeme: Lexeme, depth: number): Clause {
    if (lexeme.type === "term") return { find: lexeme.term, none: [] };
    return lexeme.type === "open" ? this.#alternatives(depth + 1) : NOTHING;
  }

  /** Of several operators in a row the last one counts. */
  #operators(): Operator | undefined {
    let operator: Operator | undefined;
    for (;;) {
      const lexeme = this.#lexemes[this.#index];
      if (lexeme?.type !== "operator") return operator;
      operator = lexeme.operator;
      this.#index += 1;
    }
  }

  #either(clauses: readonly Clause[]): Clause {
    const [first] = clauses;
    if (first === undefined) return NOTHING;
    if (clauses.length === 1) return first;
    const any = clauses.map((clause) => clause.find).filter((find) => find !== undefined);
    // "Anything without x" is most of the store; an alternative of that kind is left out rather than drown the others.
    if (any.length < clauses.length) this.hint = "negative-alternative";
    if (any.length > 0) return { find: anyOf(any), none: [] };
    return { find: undefined, none: [allOf(clauses.map((clause) => allOf(clause.none, [])), [])] };
  }
}

function hintFor(text: string, clause: Clause): QueryHint {
  if (text.trim() === "") return "empty";
  return clause.none.length > 0 ? "only-negative" : "nothing-to-find";
}

/**
 * Parses the text of a search. Any text is taken: what makes no sense is left out, and a hint says so (SEA-01,
 * SEA-02).
 *
 * Terms side by side are all required. `OR` gives alternatives, `NOT` takes the next term or group away, `AND` may be
 * written; operators are upper case. `"a phrase"` stands together, `word*` begins a word, parentheses group.
 *
 * @example
 * ```ts
 * parseQuery('deploy* (docker OR podman) NOT "dry run"').root;
 * ```
 */
export function parseQuery(text: string): Query {
  if (typeof text !== "string") throw new TypeError(`parseQuery takes a string, not ${typeof text}.`);
  const kept = cutAtToken(text, QUERY_CHARACTERS);
  const parser = new QueryParser(lexQuery(kept));
  const clause = parser.parse();
  const cut = kept.length < text.length ? "cut" : undefined;
  const hint = clause.find ? (parser.hint ?? cut) : (cut ?? hintFor(text, clause));
  return { text, root: clause.find, hint };
}
