import { isObject } from "../../state-jsonl/parse-record.js";
import type { JsonLine } from "../foreign-file.js";
import { isoSeconds, objectOf, textOf, unixSeconds } from "../json.js";
import type { Json } from "../json.js";
import type { TreeNode } from "../message-tree.js";

/** One entry of a session's tree. */
export interface PiEntry extends TreeNode {
  readonly line: number;
  readonly type: string;
  readonly json: Json;
  readonly seconds: number | undefined;
}

/**
 * Reads the entries. The first version had no ids: its lines follow each other. So does an entry whose parent cannot be
 * read: what was said before a damaged line belongs to the talk.
 */
export function piEntries(lines: readonly JsonLine[]): readonly PiEntry[] {
  const entries: PiEntry[] = [];
  const known = new Set<string>();
  for (const { number, value } of lines) {
    if (!isObject(value) || value["type"] === "session") continue;
    const id = textOf(value["id"]);
    const parent = textOf(value["parentId"]);
    const follows = id === undefined || (parent !== undefined && !known.has(parent));
    entries.push({
      id: id ?? `line-${number}`,
      parent: follows ? entries.at(-1)?.id : parent,
      line: number,
      type: textOf(value["type"]) ?? "",
      json: value,
      seconds: isoSeconds(value["timestamp"]) ?? unixSeconds(objectOf(value["message"])["timestamp"]),
    });
    known.add(entries.at(-1)?.id ?? "");
  }
  return entries;
}

/** The entry that the conversation stands on: the last one, unless the program moved it. */
export function currentLeaf(entries: readonly PiEntry[]): string | undefined {
  const last = entries.at(-1);
  if (last?.type !== "leaf") return last?.id;
  const target = textOf(last.json["targetId"]);
  const isHere = entries.some(({ id }) => id === target);
  // Moved to before the first entry: until something is said there, the talk is what was said.
  return isHere ? target : entries.findLast(({ type }) => type !== "leaf")?.id;
}
