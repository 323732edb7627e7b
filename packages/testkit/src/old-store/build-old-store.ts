import { runPython } from "../python/run-python.js";
import { type OldStoreOptions, oldStoreStatements } from "./old-store-statements.js";

/** How the file is written. */
export interface BuildOptions extends OldStoreOptions {
  /** Journal mode of the file; `wal`, as the peer has it, when not given. */
  readonly journal?: "wal" | "delete";
  /** Runs the statements, one by one, on a new database at `path`; Python's sqlite3 does it when not given. */
  readonly run?: (path: string, statements: readonly string[]) => void;
}

/**
 * Writes a store as the peer of a schema version left it, and closes it.
 *
 * @param path - Where; nothing may be there.
 * @param version - A schema version from 2 to 30.
 * @returns The path.
 */
export function buildOldStore(path: string, version: number, options: BuildOptions = {}): string {
  const statements = [
    `PRAGMA journal_mode=${options.journal ?? "wal"}`,
    "BEGIN",
    ...oldStoreStatements(version, options),
    "COMMIT",
  ];
  (options.run ?? runWithPython)(path, statements);
  return path;
}

function runWithPython(path: string, statements: readonly string[]): void {
  runPython(SCRIPT, { path, statements });
}

const SCRIPT = `
db = peer.connect(args["path"])
for statement in args["statements"]:
    db.execute(statement)
db.close()
answer(None)
`;
