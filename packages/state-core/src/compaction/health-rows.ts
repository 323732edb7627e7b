import type { Reader, SqlValue, Writer } from "@hermes/state-schema";
import { isSaneSeconds, saneSecondsSql } from "../codec/seconds.js";
import { sessionNotFound } from "../sessions/session-errors.js";
import { healthNotRestored } from "./compaction-errors.js";
import type { CompactionCounter, CompactionHealth } from "./compaction-health.js";

const COLUMN: Readonly<Record<keyof CompactionHealth, string>> = {
  cooldownUntilSeconds: "compression_failure_cooldown_until",
  failure: "compression_failure_error",
  fallbackStreak: "compression_fallback_streak",
  ineffectiveCount: "compression_ineffective_count",
  recoveryDeadlineSeconds: "compression_recovery_deadline",
  overloadStreak: "compression_overload_streak",
};

const KEYS = Object.keys(COLUMN) as (keyof CompactionHealth)[];

const SELECT = `SELECT ${KEYS.map((key) => `${COLUMN[key]} AS ${key}`).join(", ")} FROM sessions WHERE id = ?`;

const MERGE_FAILURE = `
  UPDATE sessions SET
    compression_failure_cooldown_until = MAX(COALESCE(${saneSecondsSql("compression_failure_cooldown_until")}, 0), ?),
    compression_failure_error = ?
  WHERE id = ?`;

const CLEAR_FAILURE = `
  UPDATE sessions SET compression_failure_cooldown_until = NULL, compression_failure_error = NULL
  WHERE id = ? AND (compression_failure_cooldown_until IS NOT NULL OR compression_failure_error IS NOT NULL)`;

/** @throws StateError `STATE_E_SESSION_NOT_FOUND`. A cell that cannot be read counts as empty. */
export function readHealth(r: Reader, sessionId: string): CompactionHealth {
  const row = r.get<Record<keyof CompactionHealth, SqlValue>>(SELECT, [sessionId]);
  if (!row) throw sessionNotFound(sessionId);
  const seconds = (cell: SqlValue): number | null => (isSaneSeconds(cell) ? cell : null);
  const count = (cell: SqlValue): number => (Number.isSafeInteger(cell) ? (cell as number) : 0);
  return {
    cooldownUntilSeconds: seconds(row.cooldownUntilSeconds),
    failure: typeof row.failure === "string" ? row.failure : null,
    fallbackStreak: count(row.fallbackStreak),
    ineffectiveCount: count(row.ineffectiveCount),
    recoveryDeadlineSeconds: seconds(row.recoveryDeadlineSeconds),
    overloadStreak: count(row.overloadStreak),
  };
}

/**
 * Records a failed compaction; of two deadlines the later one stands.
 *
 * @param until - REAL seconds.
 * @returns The deadline that stands.
 */
export function mergeFailure(w: Writer, sessionId: string, until: number, failure: string): number {
  if (w.run(MERGE_FAILURE, [until, failure, sessionId]).changes === 0) throw sessionNotFound(sessionId);
  return readHealth(w, sessionId).cooldownUntilSeconds ?? until;
}

/** @returns Whether there was a failure to forget. */
export function clearFailure(w: Writer, sessionId: string): boolean {
  return w.run(CLEAR_FAILURE, [sessionId]).changes > 0;
}

/** Sets some of the fields of a session's health. */
export function writeHealth(w: Writer, sessionId: string, health: Partial<CompactionHealth>): void {
  const keys = KEYS.filter((key) => health[key] !== undefined);
  if (keys.length === 0) return;
  const sets = keys.map((key) => `${COLUMN[key]} = ?`).join(", ");
  const values = keys.map((key) => health[key] ?? null);
  const { changes } = w.run(`UPDATE sessions SET ${sets} WHERE id = ?`, [...values, sessionId]);
  if (changes === 0) throw sessionNotFound(sessionId);
}

/**
 * Writes a health, or some fields of one, back and reads it again.
 *
 * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_HEALTH_NOT_RESTORED`.
 */
export function restoreHealth(w: Writer, sessionId: string, health: Partial<CompactionHealth>): void {
  writeHealth(w, sessionId, health);
  const stored = readHealth(w, sessionId);
  const differs = KEYS.some((key) => health[key] !== undefined && stored[key] !== health[key]);
  if (differs) throw healthNotRestored(sessionId);
}

/** Raises a counter by one. @returns Its new value. */
export function bumpCounter(w: Writer, sessionId: string, counter: CompactionCounter): number {
  const column = COLUMN[counter];
  const { changes } = w.run(`UPDATE sessions SET ${column} = COALESCE(${column}, 0) + 1 WHERE id = ?`, [sessionId]);
  if (changes === 0) throw sessionNotFound(sessionId);
  return readHealth(w, sessionId)[counter];
}
