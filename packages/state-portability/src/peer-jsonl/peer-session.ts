import { createHash } from "node:crypto";
import { isSaneSeconds, isStateError, sanitizeTitle } from "@hermes/state-core";
import type { IncomingRow, IncomingSession } from "../import/import-reader.js";
import type { ImportLimits } from "../limits/import-limits.js";
import { exceeds } from "../limits/import-limits.js";
import type { Cell } from "../rows/raw-row.js";
import { isObject } from "../state-jsonl/parse-record.js";
import { BadItem } from "../import/bad-item.js";
import { peerCell, peerSeconds } from "./peer-cell.js";
import { PEER_SESSION_COLUMNS } from "./peer-columns.js";
import { peerMessage } from "./peer-message.js";

type Json = Readonly<Record<string, unknown>>;

const MAX_ID_CHARACTERS = 512;

/** Where a session without a source of its own says it came from. */
const IMPORT_SOURCE = "import";

/**
 * The sessions of one line: the line itself, or the segments of an exported lineage, which repeats their messages.
 *
 * @throws BadItem when the line is no session.
 */
export function peerItems(json: unknown): readonly Json[] {
  if (!isObject(json)) throw new BadItem("the line is not a JSON object");
  const segments = json["segments"];
  return Array.isArray(segments) && segments.length > 0 && segments.every(isObject) ? segments : [json];
}

/**
 * The id of a session of the peer's file.
 *
 * @throws BadItem when it has none.
 */
export function peerId(json: Json): string {
  const id = json["id"];
  if (typeof id !== "string" || id === "") throw new BadItem("the session has no id");
  if (id.length > MAX_ID_CHARACTERS)
    throw new BadItem(`the session id has ${id.length} characters; at most ${MAX_ID_CHARACTERS}`);
  return id;
}

/**
 * Reads one session of the peer's file (POR-03): messages with their times, tool calls and reasoning; counters from the
 * rows that arrive; message ids are given anew.
 *
 * @param now - Start of a session that names none, in REAL seconds.
 * @throws BadItem when a field has a type that the peer never writes.
 */
export function peerSession(json: Json, now: number, limits: ImportLimits): IncomingSession {
  const id = peerId(json);
  const list = json["messages"];
  if (!Array.isArray(list)) throw new BadItem("messages is not a list");
  if (exceeds(list.length, limits.maxMessagesPerSession)) {
    throw new BadItem(`${list.length} messages; at most ${limits.maxMessagesPerSession}`, "STATE_E_IMPORT_LIMIT");
  }
  const startedAt = peerSeconds(json["started_at"]) ?? now;
  const { children, counters } = readMessages(list, startedAt);
  const prompt = promptOf(json);
  const row = { ...sessionCells(json), ...counters, started_at: startedAt, system_prompt_hash: prompt?.hash ?? null };
  return { id, row, prompts: prompt ? { [prompt.hash]: prompt.text } : {}, messages: list.length, children };
}

function sessionCells(json: Json): Record<string, Cell> {
  const row: Record<string, Cell> = {};
  for (const column of PEER_SESSION_COLUMNS) {
    const cell = peerCell(column, json[column.name]);
    if (cell !== null || !column.notNull) row[column.name] = cell;
  }
  if (row["source"] === undefined || row["source"] === "") row["source"] = IMPORT_SOURCE;
  if (typeof row["title"] === "string") row["title"] = storableTitle(row["title"]);
  checkModelConfig(row["model_config"]);
  return row;
}

/** The rules for titles hold for those of other stores too (COR-29). */
function storableTitle(title: string): string | null {
  try {
    return sanitizeTitle(title);
  } catch (error) {
    if (isStateError(error)) throw new BadItem(error.message);
    throw error;
  }
}

function checkModelConfig(text: Cell | undefined): void {
  if (typeof text !== "string") return;
  try {
    if (isObject(JSON.parse(text))) return;
  } catch {
    // Not JSON is no object either.
  }
  throw new BadItem("model_config must hold an object");
}

function promptOf(json: Json): { hash: string; text: string } | undefined {
  const given = json["system_prompt"];
  if (given === null || given === undefined) return undefined;
  if (typeof given !== "string") throw new BadItem("system_prompt must be text");
  const text = given.toWellFormed();
  return { text, hash: createHash("sha256").update(text, "utf8").digest("hex") };
}

function readMessages(
  list: readonly unknown[],
  startedAt: number,
): { children: IncomingRow[]; counters: Record<string, number> } {
  let before = startedAt;
  let messages = 0;
  let calls = 0;
  const children = list.map((json, index): IncomingRow => {
    const message = peerMessage(json, index, before);
    const at = message.row["timestamp"];
    if (isSaneSeconds(at)) before = at;
    if (message.active) {
      messages += 1;
      calls += message.toolCalls;
    }
    return { entity: "message", row: message.row };
  });
  return { children, counters: { message_count: messages, tool_call_count: calls } };
}
