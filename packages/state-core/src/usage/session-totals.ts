import type { SqlValue, Writer } from "@hermes/state-schema";
import { encodeSession } from "../sessions/encode-session.js";
import { profileOfPath } from "../sessions/profile-of-path.js";
import { ensureSession, insertSession, PLACEHOLDER_SOURCE } from "../sessions/save-session.js";
import { COST_COLUMNS, COUNTER_COLUMNS, hasUsage, ROUTE_COLUMNS, TERM_COLUMNS } from "./usage-entry.js";
import type { UsageEntry } from "./usage-entry.js";

const TOTAL_COLUMNS = [...COUNTER_COLUMNS, ...COST_COLUMNS];

const SELECT_TOTALS = `
  SELECT source, ${[...TOTAL_COLUMNS, ...ROUTE_COLUMNS].join(", ")} FROM sessions WHERE id = ?`;

const FROM_HERE_ON = [
  ...TERM_COLUMNS.map((column) => `${column} = COALESCE(?, ${column})`),
  ...ROUTE_COLUMNS.map((column) => `${column} = ?`),
].join(", ");

/** A cost that nobody knows stays NULL: unknown plus unknown is unknown, and not nothing. */
const ADD = `
  UPDATE sessions SET
    ${COUNTER_COLUMNS.map((column) => `${column} = COALESCE(${column}, 0) + ?`).join(", ")},
    ${COST_COLUMNS.map((column) => `${column} = COALESCE(${column} + ?, ${column}, ?)`).join(", ")},
    ${FROM_HERE_ON}
  WHERE id = ?`;

const SET = `
  UPDATE sessions SET ${TOTAL_COLUMNS.map((column) => `${column} = COALESCE(?, ${column})`).join(", ")}, ${FROM_HERE_ON}
  WHERE id = ?`;

/** What a session's row says before an entry is applied, by column. */
export type SessionTotals = Readonly<Record<string, SqlValue>>;

/** What usage needs to know of its store. */
export interface UsagePlace {
  readonly path: string;
  /** REAL seconds. */
  readonly now: number;
}

function knownSession(w: Writer, entry: UsageEntry, place: UsagePlace): SessionTotals {
  const { sessionId, source = PLACEHOLDER_SOURCE } = entry;
  const row = w.get(SELECT_TOTALS, [sessionId]);
  if (row && (row["source"] !== PLACEHOLDER_SOURCE || source === PLACEHOLDER_SOURCE)) return row;
  const session = encodeSession({ id: sessionId, source }, () => sessionId, place.now);
  if (row) ensureSession(w, session, profileOfPath(place.path));
  else insertSession(w, session, profileOfPath(place.path));
  return w.get(SELECT_TOTALS, [sessionId]) ?? {};
}

function isSame(cell: SqlValue | undefined, text: string | null): boolean {
  return (cell ?? "") === (text ?? "");
}

/**
 * The route of a session after an entry, by {@link ROUTE_COLUMNS}. Usage fills what is NULL. The first call that is
 * accounted for says who really answered: where it differs from what was planned, all four change together.
 */
function routeAfter(before: SessionTotals, entry: UsageEntry): SqlValue[] {
  const stored = ROUTE_COLUMNS.map((column) => before[column] ?? null);
  if (!hasUsage(entry)) return stored;
  const [model, provider] = entry.route;
  const first = (before["api_call_count"] ?? 0) === 0 && model !== null && provider !== null;
  const fellBack = first && !(isSame(stored[0], model) && isSame(stored[1], provider));
  return fellBack ? [...entry.route] : stored.map((cell, index) => cell ?? entry.route[index] ?? null);
}

/**
 * Applies an entry to the row of its session, which is made when there is none (COR-32).
 *
 * @returns What the row said before, and its route after.
 */
export function applyToSession(
  w: Writer,
  entry: UsageEntry,
  place: UsagePlace,
): { readonly before: SessionTotals; readonly route: readonly SqlValue[] } {
  const before = knownSession(w, entry, place);
  const route = routeAfter(before, entry);
  const rest = [...entry.terms, ...route, entry.sessionId];
  if (entry.kind === "absolute") w.run(SET, [...entry.counters, ...entry.costs, ...rest]);
  else w.run(ADD, [...entry.counters, ...entry.costs.flatMap((cost) => [cost, cost]), ...rest]);
  return { before, route };
}
