import { createHash } from "node:crypto";
import { isSaneSeconds, parsePythonJson, parseRoutingJson, pythonJson } from "@hermes/state-core";
import type { JsonObject, JsonValue, NewMessage } from "@hermes/state-core";
import { ownFields } from "./identify-message.js";
import type { IdentifiedMessage } from "./identify-message.js";
import { SPOOL_REASON } from "./spool-names.js";

type Key = Exclude<keyof NewMessage, "id" | "_persisted">;

/** Keys as the peer spells them in a message. */
const SPELLING: Readonly<Record<Key, string>> = {
  role: "role",
  content: "content",
  toolCallId: "tool_call_id",
  toolCalls: "tool_calls",
  toolName: "tool_name",
  effectDisposition: "effect_disposition",
  timestampSeconds: "timestamp",
  tokenCount: "token_count",
  finishReason: "finish_reason",
  reasoning: "reasoning",
  reasoningContent: "reasoning_content",
  reasoningDetails: "reasoning_details",
  codexReasoningItems: "codex_reasoning_items",
  codexMessageItems: "codex_message_items",
  platformMessageId: "platform_message_id",
  observed: "observed",
  compressedSummary: "_compressed_summary",
  active: "active",
  compacted: "compacted",
  apiContent: "api_content",
  displayKind: "display_kind",
  displayMetadata: "display_metadata",
  messageUid: "message_uid",
  absorbedMessageUids: "absorbed_message_uids",
  toolCallUids: "tool_call_uids",
  toolCallUid: "tool_call_uid",
};

/** The keys of a message, but for those that say where a loaded one is stored. */
export const MESSAGE_KEYS: readonly string[] = Object.keys(SPELLING);

const KEYS = Object.entries(SPELLING) as [Key, string][];
/** A number beyond it is nobody's count, and leaves no room to count on. */
const MOST_SEQ = 2 ** 50;
const UID_DIGITS = 32;
const FLAGS: ReadonlySet<Key> = new Set(["observed", "compressedSummary", "active", "compacted"]);
const IDS: ReadonlySet<Key> = new Set(["platformMessageId", "toolCallId"]);

/** What is known of a message without its text: where it goes, and its place in the order. */
export interface SpooledHead {
  readonly sessionKey: string | null;
  readonly sessionId: string;
  /** REAL seconds: when it came in. With `seq` and the name of the file, its place in the order. */
  readonly ts: number;
  readonly seq: number;
  readonly messageUid: string;
}

/** One message as it waits on disk. */
export interface SpooledText {
  readonly head: SpooledHead;
  readonly message: IdentifiedMessage;
}

/** What a file in the spool turned out to be. */
export type SpoolFile =
  | { readonly kind: "message"; readonly spooled: SpooledText }
  /** Cut short, or not JSON at all. */
  | { readonly kind: "torn" }
  /** A message that cannot be understood. */
  | { readonly kind: "unusable" }
  /** Something else that the peer keeps in this folder, such as a snapshot of an agent; never touched. */
  | { readonly kind: "foreign" };

/** Writes a message as the peer's spool has it, in the same words. */
export function encodeSpooled({ head: { sessionKey, sessionId, ts, seq }, message }: SpooledText): string {
  const spelled = KEYS.filter(([key]) => message[key] !== undefined).map(([key, name]) => [name, message[key]]);
  const data = { session_id: sessionId, message: Object.fromEntries(spelled) as JsonObject };
  return pythonJson({ session_key: sessionKey, reason: SPOOL_REASON, ts, seq, data });
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A moment as the peer writes it: seconds, or ISO text (local time without a zone). */
function seconds(value: JsonValue | undefined, otherwise: number): number | undefined {
  const moment = typeof value === "string" ? momentOf(value) : value;
  if (isSaneSeconds(moment)) return moment;
  return otherwise > 0 ? otherwise : undefined;
}

function momentOf(text: string): number {
  const asNumber = Number(text);
  return text.trim() !== "" && Number.isFinite(asNumber) ? asNumber : Date.parse(text) / 1000;
}

/** The id of a platform as text; some count beyond what a number holds, so the digits are taken from the file. */
function idText(id: JsonValue | undefined, name: string, text: string): JsonValue {
  if (typeof id !== "number") return id ?? null;
  if (Number.isSafeInteger(id)) return String(id);
  const { data } = parseRoutingJson(text) as JsonObject;
  return ((data as JsonObject).message as JsonObject)[name] ?? null;
}

function readValue(key: Key, name: string, value: JsonValue, text: string): JsonValue {
  if (FLAGS.has(key) && (value === 0 || value === 1)) return value === 1;
  return IDS.has(key) ? idText(value, name, text) : value;
}

function decodeMessage(wire: JsonObject, ts: number, text: string): IdentifiedMessage | undefined {
  const { role, message_uid: stored } = wire;
  if (typeof role !== "string" || role === "") return undefined;
  const message: Partial<Record<Key, JsonValue>> = {};
  for (const [key, name] of KEYS) {
    const value = wire[name];
    if (value !== undefined && !(value === null && FLAGS.has(key))) message[key] = readValue(key, name, value, text);
  }
  delete message.timestampSeconds;
  const timestampSeconds = seconds(wire.timestamp, ts);
  const platformMessageId = message.platformMessageId ?? idText(wire.message_id, "message_id", text);
  const known = typeof stored === "string" && stored !== "";
  return {
    ...ownFields({ ...message, role } as NewMessage),
    ...(timestampSeconds !== undefined && { timestampSeconds }),
    ...(platformMessageId !== null && { platformMessageId }),
    messageUid: known ? stored : createHash("sha256").update(text).digest("hex").slice(0, UID_DIGITS),
  } as IdentifiedMessage;
}

/**
 * Reads a file of the spool, the peer's too. A message without a uid gets one from the bytes of its file, so that every
 * replay of it has the same.
 */
export function decodeSpooled(text: string): SpoolFile {
  let value: JsonValue;
  try {
    value = parsePythonJson(text);
  } catch {
    // Whoever wrote it died over it, or the disk did.
    return { kind: "torn" };
  }
  if (!isObject(value)) return { kind: "torn" };
  if (value.reason !== SPOOL_REASON) return { kind: "foreign" };
  const { data, session_key: key } = value;
  const ts = isSaneSeconds(value.ts) ? value.ts : 0;
  if (!isObject(data) || typeof data.session_id !== "string" || !isObject(data.message)) return { kind: "unusable" };
  const message = decodeMessage(data.message, ts, text);
  if (data.session_id === "" || message === undefined) return { kind: "unusable" };
  const sessionKey = typeof key === "string" && key !== "" ? key : null;
  const seq = Number.isSafeInteger(value.seq) ? Math.min(value.seq as number, MOST_SEQ) : 0;
  const head = { sessionKey, sessionId: data.session_id, ts, seq, messageUid: message.messageUid };
  return { kind: "message", spooled: { head, message } };
}
