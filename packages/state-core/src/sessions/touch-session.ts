import type { Reader, Writer } from "@hermes/state-schema";
import { saneSecondsSql } from "../codec/seconds.js";

/** Who says that a session is active. */
export type ActivityProvenance =
  | "unknown"
  | "agent.compression"
  | "agent.compression_timeout"
  | "agent.compression_cooldown";

/** The words of {@link ActivityProvenance}. */
export const ACTIVITY_PROVENANCES: readonly ActivityProvenance[] = [
  "unknown",
  "agent.compression",
  "agent.compression_timeout",
  "agent.compression_cooldown",
];

/** A sign of life of a session. */
export interface SessionActivity {
  /** REAL seconds since the epoch; now when absent. An earlier moment than the stored one changes nothing. */
  readonly atSeconds?: number;
  /** What it is doing; at most 120 characters are kept. */
  readonly description?: string;
  /** Default `unknown`. */
  readonly provenance?: ActivityProvenance;
}

const DESCRIPTION_LIMIT = 120;

const TOUCH = `
  UPDATE sessions SET last_activity_at = ?,
    last_activity_description = COALESCE(?, last_activity_description),
    last_activity_provenance = COALESCE(?, last_activity_provenance)
  WHERE id = ? AND COALESCE(${saneSecondsSql("last_activity_at")}, 0) <= ?`;

const SELECT_LABELLED = `
  SELECT 1 AS labelled FROM sessions WHERE id = ? AND (
    COALESCE(last_activity_description, '') <> '' OR COALESCE(last_activity_provenance, 'unknown') <> 'unknown')`;
const CLEAR_LABELS = `
  UPDATE sessions SET last_activity_description = '', last_activity_provenance = 'unknown' WHERE id = ?`;

/** Cuts a description to what the file keeps, with an ellipsis for the rest. */
export function clampDescription(text: string): string {
  const characters = Array.from(text);
  return characters.length <= DESCRIPTION_LIMIT ? text : `${characters.slice(0, DESCRIPTION_LIMIT - 1).join("")}…`;
}

/**
 * Records a sign of life; it never moves backwards.
 *
 * @returns Whether it was recorded; false for an unknown session and for an earlier moment.
 */
export function touchSession(w: Writer, sessionId: string, at: number, activity: SessionActivity): boolean {
  const { description, provenance } = activity;
  const words = description === undefined ? null : clampDescription(description);
  return w.run(TOUCH, [at, words, provenance ?? (words === null ? null : "unknown"), sessionId, at]).changes > 0;
}

/** Whether a session says what it is doing. */
export function hasActivityLabels(r: Reader, sessionId: string): boolean {
  return r.get(SELECT_LABELLED, [sessionId]) !== undefined;
}

/** Removes what a session says it is doing, and keeps when it was last active. */
export function clearActivityLabels(w: Writer, sessionId: string): void {
  w.run(CLEAR_LABELS, [sessionId]);
}
