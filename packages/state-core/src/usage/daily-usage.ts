import { TABLES } from "@hermes/state-schema";
import type { Reader, Writer } from "@hermes/state-schema";
import { COST_COLUMNS, COUNTER_COLUMNS } from "./usage-entry.js";
import type { UsageEntry } from "./usage-entry.js";
import type { SessionTotals } from "./session-totals.js";

const AMOUNTS = [...COUNTER_COLUMNS, ...COST_COLUMNS];

const SELECT_COLUMNS = `
  SELECT name, "notnull" AS required, dflt_value AS fallback FROM pragma_table_info('session_daily_usage')`;
const ADD = `
  UPDATE session_daily_usage SET ${AMOUNTS.map((column) => `${column} = COALESCE(${column}, 0) + ?`).join(", ")}
  WHERE session_id = ? AND day = ?`;
const INSERT = `
  INSERT INTO session_daily_usage (${AMOUNTS.join(", ")}, session_id, day)
  VALUES (${[...AMOUNTS, "session_id", "day"].map(() => "?").join(", ")})`;

/** Only some newer peers keep the table. Where it is another one than ours, it is theirs alone to fill. */
function keepsDays(r: Reader): boolean {
  const found = r.all<{ name: string; required: number; fallback: unknown }>(SELECT_COLUMNS);
  const known = new Set(TABLES.session_daily_usage.columns.map((column) => column.name));
  const names = new Set(found.map(({ name }) => name));
  if (![...known].every((name) => names.has(name))) return false;
  return found.every(({ name, required, fallback }) => known.has(name) || required === 0 || fallback !== null);
}

/** The local date of a moment as the table spells it. */
export function localDay(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** What an entry adds to its day. Totals that were set count by what they grew, never by what they shrank. */
function increments(entry: UsageEntry, before: SessionTotals): number[] {
  const amounts = [...entry.counters, ...entry.costs];
  if (entry.kind !== "absolute") return amounts.map((amount) => amount ?? 0);
  return amounts.map((amount, index) => Math.max(0, (amount ?? 0) - Number(before[AMOUNTS[index] ?? ""] ?? 0)) || 0);
}

/**
 * Adds an entry to the usage of its session by day, in files that have such a table; it is never made here.
 *
 * @param now - REAL seconds.
 */
export function addDailyUsage(w: Writer, entry: UsageEntry, before: SessionTotals, now: number): void {
  if (!keepsDays(w)) return;
  const added = increments(entry, before);
  if (added.every((amount) => amount === 0)) return;
  const key = [...added, entry.sessionId, localDay(now)];
  if (w.run(ADD, key).changes === 0) w.run(INSERT, key);
}
