import { isObject } from "../../state-jsonl/parse-record.js";
import type { JsonLine } from "../foreign-file.js";
import { isoSeconds, listOf, objectOf, textOf } from "../json.js";
import type { Json } from "../json.js";
import type { TreeNode } from "../message-tree.js";

/** One line of a session file that is a link in its chain. */
export interface ClaudeLine extends TreeNode {
  readonly line: number;
  readonly json: Json;
  readonly type: string;
  readonly seconds: number | undefined;
  /** Written by or for a subagent. */
  readonly sidechain: boolean;
}

/** A line that carries a uuid, whatever its type: unknown ones are links, too. */
export function claudeLine({ number, value }: JsonLine): ClaudeLine | undefined {
  if (!isObject(value)) return undefined;
  const id = textOf(value["uuid"]);
  if (id === undefined) return undefined;
  return {
    id,
    parent: textOf(value["parentUuid"]) ?? textOf(value["logicalParentUuid"]),
    line: number,
    json: value,
    type: textOf(value["type"]) ?? "",
    seconds: isoSeconds(value["timestamp"]),
    sidechain: value["isSidechain"] === true,
  };
}

/** The message of a line that is talk; undefined for links without any. */
export function messageOf(line: ClaudeLine): Json | undefined {
  if (line.type !== "user" && line.type !== "assistant") return undefined;
  const message = line.json["message"];
  return isObject(message) ? message : undefined;
}

/** The blocks of a message; plain text is one block. */
export function blocksOf(message: Json): readonly Json[] {
  const { content } = message;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return listOf(content).map(objectOf);
}

/** True for what the person typed: neither a result of a tool nor a text of the program. */
export function isTyped(line: ClaudeLine): boolean {
  const message = line.type === "user" && !line.json["isMeta"] && !line.json["isCompactSummary"] && messageOf(line);
  return message ? blocksOf(message).every((block) => block["type"] !== "tool_result") : false;
}

/** True for the line at which the program replaced what came before by a summary. */
export function isCompaction(line: ClaudeLine): boolean {
  return line.type === "system" && line.json["subtype"] === "compact_boundary";
}
