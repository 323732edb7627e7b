import { runPython } from "../python/run-python.js";

/** Columns that were hashed, by table. */
export type RowShape = Readonly<Record<string, readonly string[]>>;

/** Hashes of all canonical rows of a database, by table; search indexes are derived and left out. */
export interface RowHashes {
  readonly shape: RowShape;
  readonly hashes: Readonly<Record<string, string>>;
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Hashes every canonical row in a process of its own, values as stored and columns by name.
 *
 * @param options - `shape` of an earlier call limits the hash to the columns there were then; `exclude` names tables
 * (`"state_meta"`) or columns (`"sessions.system_prompt"`) whose change is intended.
 */
export function hashRows(
  path: string,
  options: { readonly shape?: RowShape; readonly exclude?: readonly string[] } = {},
): RowHashes {
  return runPython("answer(peer.op_hash_rows(**args))", { path, ...options });
}
