import { basename, dirname, extname, join, resolve } from "node:path";
import { defaultStatePath } from "@hermes/state-core";

/** Where the entries of an old session store are kept now. */
export interface StorePlace {
  readonly databasePath: string;
  /** The sessions folder: the scope of its routes, and where transcript files once lay. */
  readonly sessionsFolder: string;
}

/**
 * Reads a path of an old session store: `sessions.json`, the folder it lay in, or the database itself.
 *
 * @param storePath - Default: the sessions folder beside the default database.
 */
export function storePlace(storePath?: string): StorePlace {
  if (storePath === undefined) {
    const databasePath = defaultStatePath();
    return { databasePath, sessionsFolder: join(dirname(databasePath), "sessions") };
  }
  const full = resolve(storePath);
  if (extname(full) === ".db") return { databasePath: full, sessionsFolder: join(dirname(full), "sessions") };
  const sessionsFolder = basename(full).endsWith(".json") ? dirname(full) : full;
  return { databasePath: join(dirname(sessionsFolder), "state.db"), sessionsFolder };
}
