import { isDeepStrictEqual } from "node:util";
import { TABLES } from "@hermes/state-schema";
import { copyPeerFile, tempDir, testClock } from "@hermes/testkit";
import { SessionDB } from "../../src/session-db/index.js";

/** What the peer's readers returned, by names of their own. */
export type Dict = Readonly<Record<string, unknown>>;

/** The facade over a copy of a peer's file; both vanish with the scope. */
export interface PeerDb extends Disposable {
  readonly db: SessionDB;
}

/** @param now - REAL seconds. */
export function openPeerDb(name: string, readOnly: boolean, now: number): PeerDb {
  const dir = tempDir("compat-peer");
  const db = new SessionDB(copyPeerFile(name, dir), { rows: "peer", readOnly, clock: testClock(now) });
  return {
    db,
    [Symbol.dispose]: () => {
      db.close();
      dir[Symbol.dispose]();
    },
  };
}

/** The peer's names of arguments as the facade spells them. */
export function inCamel<T = object>(args: Dict): T {
  const spelled = Object.entries(args).map(([name, value]) => [
    name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(spelled) as T;
}

/** Never given out, whoever asks: they order what is shown. */
const PRIVATE: ReadonlySet<string> = new Set(["display_identity", "display_order"]);

/** What rows of the facade have beside the columns, and the peer's rows had not. */
const OF_THE_FACADE = ["damaged", "tool_names", "_lineage_ids"];

/** Whatever a version of the file may lack; a key that is in none of these must have been recorded. */
const LATER: ReadonlySet<string> = new Set([
  ...["sessions", "messages", "telegram_dm_topic_bindings"].flatMap((table) =>
    TABLES[table as keyof typeof TABLES].columns.map(({ name }) => name),
  ),
  ...OF_THE_FACADE,
]);

/** A cell in the peer's form: it had 0 and 1 for a flag, and the text of what is an object here. */
function cellLike(value: unknown, recorded: unknown): unknown {
  if (typeof value === "boolean" && typeof recorded === "number") return Number(value);
  if (typeof value !== "object" || value === null || typeof recorded !== "string") return value;
  return isDeepStrictEqual(value, JSON.parse(recorded)) ? recorded : value;
}

/**
 * A row of the facade in the form of the peer's, to be compared with it: without keys that the peer's version could not
 * know. Everything else stays, so that a key too many is found.
 */
export function rowLike(row: object, recorded: Dict): Dict {
  const kept = Object.entries(row).filter(([key]) => key in recorded || !LATER.has(key));
  return Object.fromEntries(kept.map(([key, value]) => [key, cellLike(value, recorded[key])]));
}

/** What of a recorded row may be seen. */
export function visible(recorded: Dict): Dict {
  return Object.fromEntries(Object.entries(recorded).filter(([key]) => !PRIVATE.has(key)));
}

/** Rows of the facade beside recorded ones, ready for `toEqual`. */
export function rowsLike(rows: readonly object[], recorded: readonly Dict[]): Dict[] {
  return rows.map((row, at) => rowLike(row, recorded[at] ?? {}));
}

/** Those keys of a row that were recorded of it. */
export function partOf(row: object, recorded: Dict): Dict {
  const cells = row as Dict;
  return Object.fromEntries(Object.keys(recorded).map((key) => [key, cellLike(cells[key], recorded[key])]));
}
