import { createHash } from "node:crypto";
import { FTS_TABLE, INDEXED_TOOL_CHARACTERS, type Reader, type SqlValue } from "@hermes/state-schema";
import { wordIrregular } from "../compile/irregular-rows.js";
import { messageTexts } from "../judge/message-texts.js";
import { contentSql } from "../routes/candidates.js";
import { ODD } from "./side-reading.js";
import { sideTokens } from "./side-tokens.js";

/** One message as the side index holds it. */
export interface SideRow {
  readonly id: number;
  /** Of the texts the tokens were made of. */
  readonly digest: Uint8Array;
  readonly odd: number;
  readonly tokens: () => string;
}

/** What was read of the store for the side index. */
export interface Gathered {
  readonly rows: readonly SideRow[];
  /** Ids that were looked at, rows that are gone among them. */
  readonly looked: number;
  /** The last id that was looked at; undefined when none was. */
  readonly last: number | undefined;
  /** Everything that was asked for was looked at. */
  readonly all: boolean;
}

/** How much one step may read. */
export interface Budget {
  readonly rows: number;
  /** Characters of text that is cut into tokens. */
  readonly characters: number;
}

const CHUNK = 128;
/** Texts may be large. */
const TEXT_CHUNK = 16;

const irregular = wordIrregular(undefined, false).sql;
const LONG = `(m.role = 'tool' AND octet_length(m.content) > ${INDEXED_TOOL_CHARACTERS})`;
/** The index counts no word in any of its columns, or does not know the row. */
const BLANK = `
  COALESCE((SELECT trim(hex(size.sz), '0') FROM ${FTS_TABLE.word}_docsize AS size WHERE size.id = m.id), '') = ''`;
const FACTS = `SELECT m.id, COALESCE(${irregular}, 0), COALESCE(${LONG}, 0) * ${ODD.long} + (${BLANK}) * ${ODD.blank}`;
const FACTS_AFTER = `${FACTS} FROM messages AS m WHERE m.id > ? ORDER BY m.id LIMIT ${CHUNK}`;
const FACTS_OF = `${FACTS} FROM json_each(?) AS wanted CROSS JOIN messages AS m ON m.id = wanted.value`;
const TEXTS = `
  SELECT m.id, m.role, ${contentSql(false)}, m.tool_name, m.tool_calls
  FROM json_each(?) AS wanted CROSS JOIN messages AS m ON m.id = wanted.value`;

type Facts = [id: number, irregular: number, odd: number];

const NO_TEXT = new Uint8Array();
const DIGEST_BYTES = 12;

function digestOf(texts: readonly string[]): Uint8Array {
  return createHash("sha1").update(JSON.stringify(texts)).digest().subarray(0, DIGEST_BYTES);
}

/** Reads messages into what the side index holds of them, in order and within a budget. */
class Gatherer {
  readonly rows: SideRow[] = [];
  looked = 0;
  last: number | undefined;
  #characters = 0;
  readonly #r: Reader;
  readonly #budget: Budget;

  constructor(r: Reader, budget: Budget) {
    this.#r = r;
    this.#budget = budget;
  }

  get spent(): boolean {
    return this.looked >= this.#budget.rows || this.#characters >= this.#budget.characters;
  }

  /** Takes rows by their facts; stops between two small groups when the budget is used up. */
  take(facts: readonly Facts[]): boolean {
    for (let at = 0; at < facts.length; at += TEXT_CHUNK) {
      if (this.spent) return false;
      const group = facts.slice(at, at + TEXT_CHUNK);
      const texts = this.#textsOf(group.filter(([, isIrregular]) => isIrregular !== 0).map(([id]) => id));
      for (const [id, , odd] of group) {
        const found = texts.get(id);
        if (found) this.rows.push({ id, digest: digestOf(found), odd, tokens: () => sideTokens(found) });
        else if (odd !== 0) this.rows.push({ id, digest: NO_TEXT, odd, tokens: () => "" });
        this.last = id;
      }
      this.looked += group.length;
    }
    return true;
  }

  #textsOf(ids: readonly number[]): ReadonlyMap<number, readonly string[]> {
    if (ids.length === 0) return new Map();
    const rows = this.#r.tuples<[number, SqlValue, SqlValue, SqlValue, SqlValue]>(TEXTS, [JSON.stringify(ids)]);
    return new Map(
      rows.map(([id, role, content, toolName, toolCalls]) => {
        const texts = messageTexts({ role, content, toolName, toolCalls }, false);
        for (const text of texts) this.#characters += text.length;
        return [id, texts];
      }),
    );
  }
}

/** Reads the messages behind an id. */
export function gatherAfter(r: Reader, after: number, budget: Budget): Gathered {
  const gatherer = new Gatherer(r, budget);
  for (let from = after; ;) {
    const facts = r.tuples<Facts>(FACTS_AFTER, [from]);
    const all = gatherer.take(facts);
    const { rows, looked, last } = gatherer;
    if (!all || facts.length < CHUNK) return { rows, looked, last, all };
    from = facts.at(-1)?.[0] ?? from;
  }
}

/** Reads listed messages, in ascending order of their ids. */
export function gatherListed(r: Reader, ids: readonly number[], budget: Budget): Gathered {
  const gatherer = new Gatherer(r, budget);
  let last: number | undefined;
  for (let at = 0; at < ids.length; at += CHUNK) {
    const chunk = ids.slice(at, at + CHUNK);
    const all = gatherer.take(r.tuples<Facts>(FACTS_OF, [JSON.stringify(chunk)]));
    const { rows, looked } = gatherer;
    if (!all) return { rows, looked, last: gatherer.last ?? last, all };
    last = chunk.at(-1);
  }
  return { rows: gatherer.rows, looked: gatherer.looked, last, all: true };
}
