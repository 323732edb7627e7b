import type { PythonPeer } from "../python/python-peer.js";
import { runPython } from "../python/run-python.js";

/** Columns that were hashed, by table. */
export type RowShape = Readonly<Record<string, readonly string[]>>;

/** Hashes of all canonical rows of a database, by table; search indexes are derived and left out. */
export interface RowHashes {
  readonly shape: RowShape;
  readonly hashes: Readonly<Record<string, string>>;
  readonly counts: Readonly<Record<string, number>>;
}

/** What to hash. */
export interface HashOptions {
  /** Of an earlier call: only the columns there were then. */
  readonly shape?: RowShape;
  /** Tables (`"state_meta"`) or columns (`"sessions.system_prompt"`) whose change is intended. */
  readonly exclude?: readonly string[];
}

/** Hashes every canonical row in a process of its own, values as stored and columns by name. */
export function hashRows(path: string, options: HashOptions = {}): RowHashes {
  return runPython("answer(peer.op_hash_rows(**args))", { path, ...options });
}

/** As {@link hashRows}, in a peer process that runs already. */
export function hashRowsIn(peer: PythonPeer, path: string, options: HashOptions = {}): Promise<RowHashes> {
  return peer.call("hash_rows", { path, ...options });
}
