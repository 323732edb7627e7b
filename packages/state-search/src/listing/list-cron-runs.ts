import { checkKnownOptions, saneSecondsSql, SESSION_DECODER, type SessionRow } from "@hermes/state-core";
import { checkCount } from "./check-count.js";
import type { ListingStore } from "./listing-store.js";

/** Which runs. */
export interface CronRunOptions {
  /** Runs, 0 to 10,000; default 20. */
  readonly limit?: number;
  /** Runs to skip; default 0. */
  readonly offset?: number;
}

const KNOWN: readonly (keyof CronRunOptions)[] = ["limit", "offset"];
const DEFAULT_LIMIT = 20;

/** The character after `_`: ids of the job end before it. */
const AFTER = "`";

/** A half-open range of ids, so that the index on (source, id) is searched and nothing else is read. */
const SELECT_RUNS = `
  SELECT ${SESSION_DECODER.select("s")} FROM sessions AS s
  WHERE s.source = 'cron' AND s.id >= ? AND s.id < ?
  ORDER BY COALESCE(${saneSecondsSql("s.started_at")}, -1) DESC, s.id DESC LIMIT ? OFFSET ?`;

/**
 * The sessions of a scheduled job, newest first: those of source `cron` with ids `cron_<job>_...` (SEA-16).
 *
 * @throws TypeError for an unknown option or a job that is no text, RangeError for an impossible number.
 */
export function listCronRuns(store: ListingStore, job: string, options: CronRunOptions = {}): readonly SessionRow[] {
  checkKnownOptions("listCronRuns", options, KNOWN);
  if (typeof job !== "string" || job === "") throw new TypeError("listCronRuns: job must be a non-empty string.");
  const limit = checkCount("listCronRuns: limit", options.limit ?? DEFAULT_LIMIT);
  const offset = checkCount("listCronRuns: offset", options.offset ?? 0);
  const range = [`cron_${job}_`, `cron_${job}${AFTER}`];
  return store.read((r) =>
    r.tuples(SELECT_RUNS, [...range, limit, offset]).map((cells) => SESSION_DECODER.decode(cells)),
  );
}
