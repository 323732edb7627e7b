import { rowKey } from "@hermes/state-core";
import type { MessageRow, NewMessage } from "@hermes/state-core";
import { TABLES } from "@hermes/state-schema";

/** A message with the keys of the file, as the old store took it: `tool_calls`, `timestamp`, ... */
export interface PeerMessage {
  readonly role: string;
  readonly [column: string]: unknown;
}

/** A message to store, in either spelling; a row that was read does as well. */
export type MessageInput = NewMessage | MessageRow | PeerMessage;

const KEY_OF: ReadonlyMap<string, string> = new Map([
  ...TABLES.messages.columns.map((column) => [column.name, rowKey(column)] as const),
  ["message_id", "platformMessageId"],
  ["messageId", "platformMessageId"],
]);

/** What a row that was read says about itself; whatever is stored gets its own. */
const OF_THE_ROW: ReadonlySet<string> = new Set(["id", "sessionId", "active", "compacted", "damaged"]);

const FLAGS: ReadonlySet<string> = new Set(["observed", "compressedSummary"]);

function valueOf(key: string, value: unknown): unknown {
  if (FLAGS.has(key) && (value === 0 || value === 1)) return value === 1;
  if (key === "timestampSeconds" && value instanceof Date) return value.getTime() / 1000;
  return value;
}

function isKept(key: string, value: unknown): boolean {
  return value !== undefined && value !== null && !OF_THE_ROW.has(key) && !key.startsWith("_");
}

/**
 * A message as the parts take it. Both spellings of the keys do; what a loaded message says about its row, and keys
 * that begin with an underscore, are of the caller. Anything else that is no field is refused where it is stored.
 */
export function newMessage(given: MessageInput): NewMessage {
  if (typeof given !== "object" || (given as unknown) === null) return given as NewMessage;
  const { name, ...fields } = given as PeerMessage;
  const entries = Object.entries(fields)
    .map(([key, value]) => [KEY_OF.get(key) ?? key, value] as const)
    .filter(([key, value]) => isKept(key, value))
    .map(([key, value]) => [key, valueOf(key, value)] as const);
  // A result says by whom it is with one key here and with the other elsewhere; of any other message it is no field.
  const tool = given.role === "tool" && typeof name === "string" ? { toolName: name } : {};
  return { ...tool, ...Object.fromEntries(entries) } as unknown as NewMessage;
}

/** @throws TypeError for what is no list. */
export function newMessages(what: string, given: readonly MessageInput[]): NewMessage[] {
  if (!Array.isArray(given)) throw new TypeError(`${what}: the messages must be a list, not ${typeof given}.`);
  return (given as readonly MessageInput[]).map(newMessage);
}
