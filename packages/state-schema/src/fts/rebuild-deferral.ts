import { META_KEYS } from "../meta-keys.js";
import type { Reader, Writer } from "../sql/handles.js";
import { setMeta } from "../sql/set-meta.js";

/** Why a stale index is still stale: what `fts_rebuild_deferral` says. Moments are REAL seconds since the epoch. */
export interface RebuildDeferral {
  readonly firstSeen: number;
  readonly lastSeen: number;
  /** How often a rebuild was put off. */
  readonly attempts: number;
  /** Who stood in the way at last; -1 stands for what could not be looked at. */
  readonly holderPids: readonly number[];
  /** Since when they are the same, and how often they were. */
  readonly holdersSince: number;
  readonly holdersAttempts: number;
  /** The same processes have stood in the way so often and so long that waiting will not help. */
  readonly futile: boolean;
}

const FUTILE_AFTER_ATTEMPTS = 10;
const FUTILE_AFTER_SECONDS = 1_800;
const VALUE = "SELECT value FROM state_meta WHERE key = ?";

/**
 * Reads the record. What does not parse, and a moment that is yet to come, say nothing (SEA-11).
 *
 * @param now - REAL seconds since the epoch.
 */
export function readRebuildDeferral(r: Reader, now: number): RebuildDeferral | undefined {
  const text = r.get<{ value: unknown }>(VALUE, [META_KEYS.ftsRebuildDeferral.key])?.value;
  if (typeof text !== "string") return undefined;
  const record = parse(text);
  const moments = record && [record.firstSeen, record.lastSeen, record.holdersSince];
  return moments?.every((moment) => moment <= now) === true ? record : undefined;
}

/** Writes down that a rebuild was put off now, in the caller's transaction. */
export function noteRebuildDeferral(w: Writer, now: number, pids: readonly number[]): void {
  const before = readRebuildDeferral(w, now);
  const holderPids = [...new Set(pids)].sort((a, b) => a - b);
  const same = before !== undefined && String(before.holderPids) === String(holderPids);
  const holdersSince = same ? before.holdersSince : now;
  const holdersAttempts = (same ? before.holdersAttempts : 0) + 1;
  setMeta(
    w,
    META_KEYS.ftsRebuildDeferral.key,
    spell({
      firstSeen: before?.firstSeen ?? now,
      lastSeen: now,
      attempts: (before?.attempts ?? 0) + 1,
      holderPids,
      holdersSince,
      holdersAttempts,
      futile: holdersAttempts >= FUTILE_AFTER_ATTEMPTS && now - holdersSince >= FUTILE_AFTER_SECONDS,
    }),
  );
}

function spell(record: RebuildDeferral): string {
  return JSON.stringify({
    first_seen: record.firstSeen,
    last_seen: record.lastSeen,
    attempts: record.attempts,
    holder_pids: record.holderPids,
    holders_since: record.holdersSince,
    holders_attempts: record.holdersAttempts,
    futile: record.futile,
  });
}

function parse(text: string): RebuildDeferral | undefined {
  let value: Record<string, unknown> | null;
  try {
    value = JSON.parse(text) as Record<string, unknown> | null;
  } catch {
    // Not ours, or half a record: counting starts over.
    return undefined;
  }
  const number = (name: string): number => (typeof value?.[name] === "number" ? value[name] : NaN);
  const pids = value?.["holder_pids"];
  const record: RebuildDeferral = {
    firstSeen: number("first_seen"),
    lastSeen: number("last_seen"),
    attempts: number("attempts"),
    holderPids: Array.isArray(pids) ? pids.filter((pid): pid is number => Number.isSafeInteger(pid)) : [],
    holdersSince: number("holders_since"),
    holdersAttempts: number("holders_attempts"),
    futile: value?.["futile"] === true,
  };
  const numbers = [record.firstSeen, record.lastSeen, record.attempts, record.holdersSince, record.holdersAttempts];
  return numbers.every(Number.isFinite) ? record : undefined;
}
