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

/** Reads the entries. The first version had no ids: its lines follow each other. */
export function piEntries(lines: readonly JsonLine[]): readonly PiEntry[] {
  const entries: PiEntry[] = [];
  for (const { number, value } of lines) {
    if (!isObject(value) || value["type"] === "session") continue;
    const id = textOf(value["id"]);
    entries.push({
      id: id ?? `line-${number}`,
      parent: id === undefined ? entries.at(-1)?.id : textOf(value["parentId"]),
      line: number,
      type: textOf(value["type"]) ?? "",
      json: value,
      seconds: isoSeconds(value["timestamp"]) ?? unixSeconds(objectOf(value["message"])["timestamp"]),
    });
  }
  return entries;
}

/** The entry that the conversation stands on: the last one, unless the program moved it. */
export function currentLeaf(entries: readonly PiEntry[]): string | undefined {
  const last = entries.at(-1);
  return last?.type === "leaf" ? textOf(last.json["targetId"]) : last?.id;
}
