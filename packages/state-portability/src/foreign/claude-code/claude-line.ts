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

/**
 * The lines that are links of a chain, whatever their type. Talk without a uuid gets a name from its place. An entry
 * whose parent is not told or cannot be read follows the line before it: a damaged line must not split a talk.
 *
 * @param session - Of the file, for the names of lines that have none.
 */
export function claudeLines(lines: readonly JsonLine[], session: string): readonly ClaudeLine[] {
  const found = lines.map((line) => claudeLine(line, session)).filter((line) => line !== undefined);
  const known = new Set(found.map(({ id }) => id));
  let before: ClaudeLine | undefined;
  return found.map((line) => {
    const { parent, sidechain, json } = line;
    const isLost = parent === undefined ? json["parentUuid"] === undefined : !known.has(parent);
    const follows = isLost && !sidechain && before !== undefined;
    const linked = follows ? { ...line, parent: before?.id } : line;
    if (!sidechain) before = linked;
    return linked;
  });
}

function claudeLine({ number, value }: JsonLine, session: string): ClaudeLine | undefined {
  if (!isObject(value)) return undefined;
  const type = textOf(value["type"]) ?? "";
  const isTalk = (type === "user" || type === "assistant") && isObject(value["message"]);
  const id = textOf(value["uuid"]) ?? (isTalk ? `${session}/line-${number}` : undefined);
  if (id === undefined) return undefined;
  return {
    id,
    parent: textOf(value["parentUuid"]) ?? textOf(value["logicalParentUuid"]),
    line: number,
    json: value,
    type,
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
