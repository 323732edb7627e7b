import { rowKey } from "@hermes/state-core";
import { TABLES } from "@hermes/state-schema";

/** How the facade spells the keys of the rows it returns. */
export type RowSpelling = "camel" | "peer";

/** Column names of the file by the key that rows have here: `startedAtSeconds` is `started_at`. */
const COLUMN_OF: ReadonlyMap<string, string> = new Map(
  Object.values(TABLES).flatMap((table) => table.columns.map((column) => [rowKey(column), column.name] as const)),
);

/** Keys that the old program made up beside the columns, where they are not the same words. */
const OLD_WORDS: ReadonlyMap<string, string> = new Map([
  ["lineageRootId", "_lineage_root_id"],
  ["lineageIds", "_lineage_ids"],
  ["sessionStartedAtSeconds", "session_started"],
]);

function snake(key: string): string {
  return key.replace(/Seconds$/, "").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The peer's spelling of a key: the column's name, else the same words in snake case. */
export function peerKey(key: string): string {
  return OLD_WORDS.get(key) ?? COLUMN_OF.get(key) ?? snake(key);
}

/** A row with the keys of the file. Only its own keys change: what a cell holds stays as it is. */
export function peerRow(row: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [peerKey(key), value as unknown]));
}
