import { TABLES } from "@hermes/state-schema";
import type { SqlValue } from "@hermes/state-schema";
import { encodeDisplayMetadata } from "../codec/display-metadata.js";
import { encodeContent } from "../codec/encode-content.js";
import { encodeJsonText } from "../codec/json-text.js";
import { rowKey } from "../codec/row-decoder.js";
import { checkSeconds } from "../codec/seconds.js";
import { encodeToolCalls } from "../codec/tool-calls.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import type { NewMessage } from "./new-message.js";
import { PERSISTED_MARKER } from "./saving/persisted-marker.js";

/** A message ready to be bound: all encoding is done before the transaction begins. */
export interface EncodedMessage {
  /** Values for {@link INSERT_MESSAGE}. */
  readonly params: readonly SqlValue[];
  readonly timestampSeconds: number;
  readonly platformMessageId: string | null;
  /** What it adds to the counters of its session. */
  readonly messages: 0 | 1;
  readonly toolCalls: number;
}

type CellWriter = (message: NewMessage) => SqlValue;

function text(key: keyof NewMessage): CellWriter {
  return (message) => {
    const value = message[key];
    if (value === undefined || value === null) return null;
    if (typeof value !== "string") throw new TypeError(`message.${key} must be a string, not ${typeof value}.`);
    return value;
  };
}

function flag(key: keyof NewMessage, fallback: 0 | 1): CellWriter {
  return (message) => {
    const value = message[key];
    if (value === undefined) return fallback;
    if (typeof value !== "boolean") throw new TypeError(`message.${key} must be true or false, not ${typeof value}.`);
    return value ? 1 : 0;
  };
}

type JsonKey =
  | "reasoningDetails"
  | "codexReasoningItems"
  | "codexMessageItems"
  | "absorbedMessageUids"
  | "toolCallUids";

function json(key: JsonKey): CellWriter {
  return (message) => encodeJsonText(message[key]);
}

function count(message: NewMessage): SqlValue {
  const { tokenCount } = message;
  if (tokenCount === undefined || tokenCount === null) return null;
  if (!Number.isSafeInteger(tokenCount)) throw new TypeError("message.tokenCount must be a whole number.");
  return tokenCount;
}

const FILLED_IN: CellWriter = () => null;

/** One writer per column we write; the file's own defaults fill the rest, unknown columns among them. */
const WRITERS: Readonly<Record<string, CellWriter>> = {
  session_id: FILLED_IN,
  role: text("role"),
  content: (message) => encodeContent(message.content),
  tool_call_id: text("toolCallId"),
  tool_calls: FILLED_IN,
  tool_name: text("toolName"),
  effect_disposition: text("effectDisposition"),
  timestamp: FILLED_IN,
  token_count: count,
  finish_reason: text("finishReason"),
  reasoning: text("reasoning"),
  reasoning_content: text("reasoningContent"),
  reasoning_details: json("reasoningDetails"),
  codex_reasoning_items: json("codexReasoningItems"),
  codex_message_items: json("codexMessageItems"),
  platform_message_id: text("platformMessageId"),
  observed: flag("observed", 0),
  _compressed_summary: flag("compressedSummary", 0),
  active: flag("active", 1),
  compacted: flag("compacted", 0),
  api_content: text("apiContent"),
  display_kind: text("displayKind"),
  display_metadata: (message) => encodeDisplayMetadata(message.displayMetadata),
  message_uid: text("messageUid"),
  absorbed_message_uids: json("absorbedMessageUids"),
  tool_call_uids: json("toolCallUids"),
  tool_call_uid: text("toolCallUid"),
};

const WRITTEN = TABLES.messages.columns.filter((column) => column.name in WRITERS);
const NAMES = WRITTEN.map((column) => column.name);
const CELLS = NAMES.map((name) => WRITERS[name] ?? FILLED_IN);
const SESSION = NAMES.indexOf("session_id");
const CALLS = NAMES.indexOf("tool_calls");
const TIMESTAMP = NAMES.indexOf("timestamp");
const PLATFORM_ID = NAMES.indexOf("platform_message_id");

const KNOWN: ReadonlySet<string> = new Set(WRITTEN.filter((column) => column.name !== "session_id").map(rowKey));

/** What a loaded message says about where it came from; a new row has its own. */
const IGNORED: ReadonlySet<string> = new Set(["id", PERSISTED_MARKER]);

/** Inserts one encoded message. The columns come from the table model, `active` is always named (docs/sharing.md). */
export const INSERT_MESSAGE: string = `
  INSERT INTO messages (${NAMES.join(", ")}) VALUES (${NAMES.map(() => "?").join(", ")})`;

/** One cell of an encoded message, by the name of its column. */
export function cellOf(message: EncodedMessage, column: string): SqlValue | undefined {
  return message.params[NAMES.indexOf(column)];
}

function checkShape(message: NewMessage): void {
  if (typeof message !== "object" || (message as unknown) === null) {
    throw new TypeError("A message must be an object.");
  }
  for (const key in message) {
    if (!KNOWN.has(key) && !IGNORED.has(key)) checkKnownOptions("message", message, [...KNOWN, ...IGNORED]);
  }
  if (typeof message.role !== "string" || message.role === "") {
    throw new TypeError("message.role must be a non-empty string.");
  }
}

/**
 * Checks and encodes a message.
 *
 * @param now - The timestamp it gets when it carries none, in REAL seconds.
 * @throws TypeError for an unknown or misspelt key and for a value of the wrong type; STATE_E_BAD_TIMESTAMP.
 */
export function encodeMessage(sessionId: string, message: NewMessage, now: number): EncodedMessage {
  checkShape(message);
  const timestampSeconds =
    message.timestampSeconds === undefined ? now : checkSeconds("message.timestampSeconds", message.timestampSeconds);
  const calls = encodeToolCalls(message.toolCalls);
  const params = CELLS.map((cell) => cell(message));
  params[SESSION] = sessionId;
  params[TIMESTAMP] = timestampSeconds;
  params[CALLS] = calls.text;
  const live = message.active !== false;
  return {
    params,
    timestampSeconds,
    platformMessageId: params[PLATFORM_ID] as string | null,
    messages: live ? 1 : 0,
    toolCalls: live ? calls.count : 0,
  };
}
