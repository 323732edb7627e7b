import type { Reader } from "@hermes/state-schema";
import type { Clock } from "../../clock/clock.js";
import { newestMessageSql } from "../activity-sql.js";
import { MomentOrder } from "./moment-order.js";

const DATA_VERSION = "SELECT data_version AS version FROM pragma_data_version";
const HIGH_WATER = "SELECT COALESCE(MAX(id), 0) AS id FROM messages";
const OF_ALL = `SELECT s.id, ${newestMessageSql("s.id")} FROM sessions AS s`;
const OF_SOME = `SELECT wanted.value, ${newestMessageSql("wanted.value")} FROM json_each(?) AS wanted`;

/** The limit keeps the engine on the rows themselves: their session comes before their text, which is not read. */
const WRITTEN_SINCE = `
  SELECT DISTINCT session_id AS id FROM (SELECT m.session_id FROM messages AS m WHERE m.id > ? ORDER BY m.id LIMIT ?)`;

/** New messages that are looked at one by one; beyond that all sessions are asked again. */
const CATCH_UP_LIMIT = 20_000;

/** How long answers may rest on rows that another connection could have rewritten. */
const TRUST_MS = 60_000;

type Answer = readonly [id: string, moment: number | null];

/**
 * The moment of the newest message of every session, remembered from listing to listing: there is no index that could
 * tell which sessions spoke last, and asking all of them is most of what such a listing costs (P24).
 *
 * What is remembered is never earlier than the truth: messages are only added above the ids that were seen, or
 * deleted. That is enough to know which sessions cannot be on a page. Rows that somebody rewrote in place, which no
 * writer does, are seen at the latest after a minute.
 */
export class NewestMessages {
  readonly #clock: Clock;
  #order: MomentOrder | undefined;
  #highWater = 0;
  #readAtMs = 0;
  #proof: { readonly reader: Reader; readonly version: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Sessions by their newest message, brought up to date.
   *
   * @returns `exact` is true where no moment is later than the truth either.
   */
  read(r: Reader): { readonly order: MomentOrder; readonly exact: boolean } {
    const version = r.get<{ version: number }>(DATA_VERSION)?.version ?? 0;
    const unchanged = this.#proof?.reader === r && this.#proof.version === version;
    if (this.#order && unchanged) return { order: this.#order, exact: true };
    const highWater = r.get<{ id: number }>(HIGH_WATER)?.id ?? 0;
    const now = this.#clock.monotonicMs();
    const tooMany = highWater - this.#highWater > CATCH_UP_LIMIT;
    if (!this.#order || tooMany || now - this.#readAtMs >= TRUST_MS) {
      this.#order = readAll(r);
      this.#readAtMs = now;
      this.#proof = { reader: r, version };
    } else {
      catchUp(r, this.#order, this.#highWater);
      this.#proof = undefined;
    }
    this.#highWater = Math.max(this.#highWater, highWater);
    return { order: this.#order, exact: this.#proof !== undefined };
  }
}

function readAll(r: Reader): MomentOrder {
  const moments = r.tuples<Answer>(OF_ALL).flatMap(([id, moment]) => (moment === null ? [] : [{ id, moment }]));
  return new MomentOrder(moments);
}

function catchUp(r: Reader, order: MomentOrder, highWater: number): void {
  const ids = r.all<{ id: string }>(WRITTEN_SINCE, [highWater, CATCH_UP_LIMIT * 2]).map((row) => row.id);
  if (ids.length === 0) return;
  for (const [id, moment] of r.tuples<Answer>(OF_SOME, [JSON.stringify(ids)])) order.set(id, moment ?? undefined);
}
