import { encodeContent, encodeDisplayMetadata, encodeToolCalls } from "@hermes/state-core";
import type { JsonObject, JsonValue, MessageContent } from "@hermes/state-core";
import { isObject } from "../state-jsonl/parse-record.js";
import type { Cell, RawRow } from "../rows/raw-row.js";
import { BadItem } from "../import/bad-item.js";
import { peerCell, peerSeconds } from "./peer-cell.js";
import { PEER_MESSAGE_COLUMNS, REASONING_COLUMNS } from "./peer-columns.js";

/** One message as rows hold it, and what it adds to the session's counters. */
export interface PeerMessage {
  readonly row: RawRow;
  readonly toolCalls: number;
  readonly active: boolean;
}

const MICROSECOND = 1e-6;

/**
 * Reads one message of the peer's file.
 *
 * @param index - Its position, for messages.
 * @param after - Moment of the message before it, in REAL seconds: a message without a usable time follows it closely.
 * @throws BadItem naming the message by its position.
 */
export function peerMessage(json: unknown, index: number, after: number): PeerMessage {
  try {
    if (!isObject(json)) throw new BadItem("is not an object");
    return readMessage(json, after);
  } catch (error) {
    if (error instanceof BadItem || error instanceof TypeError) throw new BadItem(`message ${index}: ${error.message}`);
    throw error;
  }
}

function readMessage(json: Readonly<Record<string, unknown>>, after: number): PeerMessage {
  const role = json["role"];
  if (typeof role !== "string" || role === "") throw new BadItem("has no role");
  const calls = encodeToolCalls(json["tool_calls"] as JsonValue);
  const row: Record<string, Cell> = {
    role,
    content: encodeContent(json["content"] as MessageContent | undefined),
    tool_calls: calls.text,
    timestamp: peerSeconds(json["timestamp"]) ?? after + MICROSECOND,
    display_metadata: encodeDisplayMetadata(json["display_metadata"] as JsonObject | string | null | undefined),
  };
  for (const column of PEER_MESSAGE_COLUMNS) {
    const given = json[column.name];
    const kept = role === "assistant" || !REASONING_COLUMNS.has(column.name);
    const cell = kept ? peerCell(column, given) : null;
    if (cell !== null || !column.notNull) row[column.name] = cell;
  }
  row["platform_message_id"] ??= typeof json["message_id"] === "string" ? json["message_id"] : null;
  return { row, toolCalls: calls.count, active: row["active"] !== 0 };
}
