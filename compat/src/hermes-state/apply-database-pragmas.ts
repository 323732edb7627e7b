import { checkKnownOptions } from "@hermes/state-core";
import { pragmaOf } from "./sqlite-handle.js";
import type { SqliteHandle } from "./sqlite-handle.js";
import { warnOnce } from "./warn-once.js";

const SETTINGS = ["cache_size", "mmap_size", "temp_store", "wal_autocheckpoint", "journal_size_limit"] as const;

/** What a host's config says about the database. Only whole numbers count. */
export type DatabaseSettings = Readonly<Partial<Record<(typeof SETTINGS)[number], unknown>>>;

/** What to apply. */
export interface PragmaOptions {
  /** What warnings call the file. Default "state.db". */
  readonly dbLabel?: string;
  /** This stack reads no config file: hand over what you read. Default: nothing is configured. */
  readonly database?: DatabaseSettings;
}

/**
 * Applies the settings of a host's config to an open connection. What is not configured is not touched, what is no
 * whole number is ignored with a warning, and the journal mode is none of them.
 *
 * @param conn - Of any SQLite library for Node.
 * @returns The settings that were applied.
 * @throws TypeError for what is no connection.
 */
export function applyDatabasePragmas(conn: SqliteHandle, options: PragmaOptions = {}): string[] {
  checkKnownOptions("applyDatabasePragmas", options, ["dbLabel", "database"]);
  const { dbLabel = "state.db", database = {} } = options;
  const given = SETTINGS.filter((name) => database[name] !== undefined && database[name] !== null);
  const sound = given.filter((name) => Number.isSafeInteger(database[name]));
  for (const name of given) {
    if (sound.includes(name)) continue;
    const text = `database.${name} is ${JSON.stringify(database[name])}, no whole number; it is ignored.`;
    warnOnce("HERMES_STATE_PRAGMA_IGNORED", `${dbLabel} ${name}`, `${dbLabel}: ${text}`);
  }
  for (const name of sound) pragmaOf(conn, `${name}=${String(database[name])}`);
  return sound;
}
