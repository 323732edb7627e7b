import type { StoreInfo } from "@hermes/state-core";
import type { Reader } from "@hermes/state-schema";
import { isDamage, isRefusal, SideUnavailable } from "./side-error.js";
import { closeSideFile, openSideFile, removeSideFile, sidePath, type OpenSideFile } from "./side-file.js";
import { parseState, type SideState } from "./side-state.js";

/** Why a message that is held is read all the same. */
export const ODD = {
  /** The word index holds no word of it, so that it would not log a change. */
  blank: 1,
  /** Output of a tool, longer than what is held of it. */
  long: 2,
} as const;

const STATE = "SELECT revision, state FROM side_state WHERE id = 1";
const CHANGED = "SELECT id FROM side_changed ORDER BY id";
const ODD_IDS = "SELECT id, odd FROM side_row WHERE odd <> 0";
const NAMED = "SELECT rowid FROM side_text WHERE side_text MATCH ?";

/** A message that is held and read all the same. */
export interface OddRow {
  readonly id: number;
  readonly odd: number;
}

/** What the side index says, on one state of it, until {@link SideReading.end}. */
export class SideReading {
  readonly revision: number;
  readonly state: SideState;
  readonly #file: OpenSideFile;
  readonly #readonly: boolean;

  constructor(file: OpenSideFile, readonly: boolean, revision: number, state: SideState) {
    this.#file = file;
    this.#readonly = readonly;
    this.revision = revision;
    this.state = state;
  }

  /** Messages that may have changed since they were held. */
  changed(): readonly number[] {
    return this.#ask((r) => r.tuples<[number]>(CHANGED)).map(([id]) => id);
  }

  odd(): readonly OddRow[] {
    return this.#ask((r) => r.tuples<[number, number]>(ODD_IDS)).map(([id, odd]) => ({ id, odd }));
  }

  /**
   * Ids of the messages that match, in ascending or descending order.
   *
   * @param beyond - Only ids behind this one, in that order.
   */
  named(match: string, direction: "ASC" | "DESC", beyond: number, limit: number): readonly number[] {
    const sign = direction === "ASC" ? ">" : "<";
    // As an INTEGER, or fts5 would read every page from the first id on.
    const sql = `${NAMED} AND rowid ${sign} CAST(? AS INTEGER) ORDER BY rowid ${direction} LIMIT ?`;
    return this.#ask((r) => r.tuples<[number]>(sql, [match, beyond, limit])).map(([id]) => id);
  }

  end(): void {
    const { connection } = this.#file;
    if (!connection.isOpen || !connection.inTransaction) return;
    try {
      connection.exec("ROLLBACK");
    } catch {
      // Nothing was written; the next search opens the file anew.
      connection.close();
    }
  }

  #ask<T>(read: (r: Reader) => T): T {
    try {
      return read(this.#file.connection);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.end();
      if (isDamage(error)) discardSide(this.#file.path, this.#readonly);
      throw new SideUnavailable("The side index refused to answer.", { cause: error });
    }
  }
}

/** A damaged file is of no use to anybody. A store that is only read leaves it to others. */
export function discardSide(path: string, readonly: boolean): void {
  if (readonly) {
    closeSideFile(path);
    return;
  }
  try {
    removeSideFile(path);
  } catch {
    // It cannot be removed now; whoever reads it next will try again.
    closeSideFile(path);
  }
}

function begin(file: OpenSideFile, readonly: boolean): SideReading | undefined {
  const { connection } = file;
  // A search inside a search reads rows: one connection has one state at a time.
  if (connection.inTransaction) return undefined;
  connection.exec("BEGIN");
  const row = connection.get<{ revision: number; state: string }>(STATE);
  const state = parseState(row?.state);
  if (row && state) return new SideReading(file, readonly, row.revision, state);
  connection.exec("ROLLBACK");
  discardSide(file.path, readonly);
  return undefined;
}

/** The tables are not there yet: somebody is making the file, or was stopped while doing so. */
function isUnfinished(error: unknown): boolean {
  return (error as { code?: unknown }).code === "SQLITE_ERROR";
}

/**
 * Begins to read the side index of a store, if there is one that can be read now. Begin before the store is read, so
 * that it knows nothing newer than what is read there.
 */
export function beginSideReading(info: StoreInfo): SideReading | undefined {
  if (!info.capabilities.fts5) return undefined;
  const path = sidePath(info.path);
  try {
    const file = openSideFile(info, false);
    return file && begin(file, info.readonly);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (isDamage(error) && !isUnfinished(error)) discardSide(path, info.readonly);
    else closeSideFile(path);
    return undefined;
  }
}
