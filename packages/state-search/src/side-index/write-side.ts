import type { StoreInfo } from "@hermes/state-core";
import type { Writer } from "@hermes/state-schema";
import { isDamage, isRefusal } from "./side-error.js";
import type { SideRow } from "./gather.js";
import { openSideFile, sidePath } from "./side-file.js";
import { discardSide } from "./side-reading.js";
import { createSideTables } from "./side-schema.js";
import { parseState, type SideState } from "./side-state.js";
import type { SideStep } from "./side-step.js";

const HAS_STATE = "SELECT 1 AS found FROM sqlite_master WHERE name = 'side_state'";
const STATE = "SELECT revision, state FROM side_state WHERE id = 1";
const SET_STATE = "INSERT OR REPLACE INTO side_state (id, revision, state) VALUES (1, ?, ?)";
const HELD = "SELECT digest, odd FROM side_row WHERE id = ?";
const HOLD = "INSERT OR REPLACE INTO side_row (id, digest, odd) VALUES (?, ?, ?)";
const ADD_TOKENS = "INSERT INTO side_text (rowid, tokens) VALUES (?, ?)";
const FORGET_CHANGED = "DELETE FROM side_changed";
const NOTE_CHANGED = "INSERT INTO side_changed (id) SELECT value FROM json_each(?)";

interface Written {
  readonly revision: number;
  readonly state: SideState;
}

function lastWritten(w: Writer): Written | undefined {
  const row = w.get(HAS_STATE) && w.get<{ revision: number; state: string }>(STATE);
  const state = parseState(row?.state);
  return row && state && { revision: row.revision, state };
}

/** Somebody moved the file on since the step began, or made it since. */
function isOvertaken(step: SideStep, written: Written | undefined): boolean {
  if (step.revision !== undefined) return written?.revision !== step.revision;
  return written?.state.scissors === step.state.scissors && written.state.store === step.state.store;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** What merely moved inside the word index is held already. */
function hold(w: Writer, row: SideRow): void {
  const held = w.get<{ digest: Uint8Array; odd: number }>(HELD, [row.id]);
  const same = held !== undefined && sameBytes(held.digest, row.digest);
  if (same && held.odd === row.odd) return;
  const tokens = same ? "" : row.tokens();
  if (tokens !== "") w.run(ADD_TOKENS, [row.id, tokens]);
  w.run(HOLD, [row.id, row.digest, row.odd]);
}

function write(w: Writer, step: SideStep): boolean {
  const written = lastWritten(w);
  if (isOvertaken(step, written)) return false;
  if (step.revision === undefined) createSideTables(w);
  for (const row of step.rows) hold(w, row);
  w.run(FORGET_CHANGED);
  if (step.changed.length > 0) w.run(NOTE_CHANGED, [JSON.stringify(step.changed)]);
  w.run(SET_STATE, [(written?.revision ?? 0) + 1, JSON.stringify(step.state)]);
  return true;
}

/**
 * Writes a step in one transaction, if the file is still where the step began.
 *
 * @returns `lost` when another process has moved it on, `unavailable` when it cannot be written now.
 */
export function writeSide(info: StoreInfo, step: SideStep): "written" | "lost" | "unavailable" {
  try {
    const file = openSideFile(info, true);
    if (file === undefined || file.connection.inTransaction) return "unavailable";
    return file.connection.transaction((w) => write(w, step)) ? "written" : "lost";
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (isDamage(error)) discardSide(sidePath(info.path), info.readonly);
    return "unavailable";
  }
}
