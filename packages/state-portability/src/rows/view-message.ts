import { contentText, decodeContent, decodeToolCalls, isoTime, toolCallParts } from "@hermes/state-core";
import type { JsonValue, MessageContent } from "@hermes/state-core";
import type { SqlValue } from "@hermes/state-schema";
import { RawText } from "./raw-row.js";
import type { Cell, RawRow } from "./raw-row.js";

/** A tool call as a row holds it, whatever its shape. */
export interface ViewedCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly arguments: string;
}

/** One message as formats for other programs and for people see it. */
export interface ViewedMessage {
  readonly id: string;
  readonly role: string;
  readonly content: MessageContent;
  /** The text parts of the content. */
  readonly text: string;
  readonly calls: readonly ViewedCall[];
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
  readonly reasoning: string;
  readonly isoTime: string | undefined;
  /** `archived`: a summary stands for it. */
  readonly state: "active" | "archived" | "summary";
}

/** Text of a cell; bytes that are no UTF-8 become U+FFFD. */
export function cellText(cell: Cell | undefined): string {
  if (cell instanceof RawText) return Buffer.from(cell.bytes).toString("utf8");
  return typeof cell === "string" ? cell : "";
}

/** A cell for decoders that take what the engine returns. */
export function sqlCell(cell: Cell | undefined): SqlValue {
  return cell === undefined || cell instanceof RawText ? cellText(cell) : cell;
}

/** Why formats for reading leave a row out; undefined when they show it. */
export function lossOf(row: RawRow): "hidden" | "rewound" | undefined {
  if (row["display_kind"] === "hidden") return "hidden";
  return row["active"] === 0 && row["compacted"] !== 1 ? "rewound" : undefined;
}

/** Decodes what formats need of a row. */
export function viewMessage(row: RawRow): ViewedMessage {
  const content = decodeContent(sqlCell(row["content"])) ?? null;
  const { id } = row;
  return {
    id: typeof id === "number" || typeof id === "bigint" ? id.toString() : "unknown",
    role: cellText(row["role"]) || "unknown",
    content,
    text: contentText(content),
    calls: (decodeToolCalls(sqlCell(row["tool_calls"])) ?? []).map(viewCall),
    toolCallId: cellText(row["tool_call_id"]) || undefined,
    toolName: cellText(row["tool_name"]) || undefined,
    reasoning: cellText(row["reasoning"]) || cellText(row["reasoning_content"]),
    isoTime: isoTime(row["timestamp"]) ?? undefined,
    state: row["active"] === 0 ? "archived" : row["_compressed_summary"] === 1 ? "summary" : "active",
  };
}

function viewCall(call: JsonValue): ViewedCall {
  const { name = "unknown", arguments: given = JSON.stringify(call) } = toolCallParts(call);
  const id = typeof call === "object" && call !== null && "id" in call ? call["id"] : undefined;
  return { id: typeof id === "string" ? id : undefined, name, arguments: given };
}
