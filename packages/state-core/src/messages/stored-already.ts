import type { Writer } from "@hermes/state-schema";
import { CONVERSATION_SQL } from "../lineage/conversation-sql.js";
import type { AppendOptions } from "./append-options.js";
import { cellOf } from "./encode-message.js";
import type { EncodedMessage } from "./encode-message.js";
import type { MessageReceipt } from "./receipt.js";

/** What a message may be known by: the column that holds it. */
export type IdentityColumn = "platform_message_id" | "message_uid";

/** Where and by what a message is looked for before it is stored. */
export interface StoredBefore {
  readonly columns: readonly IdentityColumn[];
  /** The row that holds one of its ids. */
  find(w: Writer, sessionId: string, column: IdentityColumn, id: string): MessageReceipt | undefined;
}

/** The live copy first: a compaction keeps the original beside it. */
const IN_SESSION = `
  SELECT id, session_id AS sessionId, timestamp FROM messages WHERE session_id = ? AND platform_message_id = ?
  ORDER BY COALESCE(active, 1) DESC, id LIMIT 1`;

/** A rotation takes copies along: the live one first, then the newest. */
function inConversation(column: IdentityColumn): string {
  return `${CONVERSATION_SQL}
  SELECT m.id AS id, m.session_id AS sessionId, m.timestamp AS timestamp
  FROM conversation JOIN messages AS m ON m.session_id = conversation.id AND m.${column} = ?
  ORDER BY COALESCE(m.active, 1) DESC, m.id DESC LIMIT 1`;
}

const IN_CONVERSATION: Readonly<Record<IdentityColumn, string>> = {
  platform_message_id: inConversation("platform_message_id"),
  message_uid: inConversation("message_uid"),
};

function receiptOf(w: Writer, sql: string, sessionId: string, id: string): MessageReceipt | undefined {
  const row = w.get<{ id: number; sessionId: string; timestamp: unknown }>(sql, [sessionId, id]);
  if (!row) return undefined;
  const timestampSeconds = typeof row.timestamp === "number" ? row.timestamp : undefined;
  return { id: row.id, sessionId: row.sessionId, timestampSeconds, existing: true };
}

/** Every append: the platform's id, in the session itself (COR-21). */
const STORED_IN_SESSION: StoredBefore = {
  columns: ["platform_message_id"],
  find: (w, sessionId, _, id) => receiptOf(w, IN_SESSION, sessionId, id),
};

/** An append that may be a repetition, in every segment of the conversation (GWS-05, P14). */
function storedInConversation(columns: readonly IdentityColumn[]): StoredBefore {
  return { columns, find: (w, sessionId, column, id) => receiptOf(w, IN_CONVERSATION[column], sessionId, id) };
}

const REDELIVERED = storedInConversation(["platform_message_id"]);
const REPEATED = storedInConversation(["platform_message_id", "message_uid"]);

/** Where and by what messages are looked for, see {@link AppendOptions.once}. */
export function storedBefore(once: AppendOptions["once"] = false): StoredBefore {
  if (once === "platform-id") return REDELIVERED;
  return once ? REPEATED : STORED_IN_SESSION;
}

/** The ids that a message carries, of those that are looked at. */
export function identitiesOf(
  message: EncodedMessage,
  { columns }: StoredBefore,
): readonly (readonly [IdentityColumn, string])[] {
  return columns.flatMap((column) => {
    const id = column === "platform_message_id" ? message.platformMessageId : cellOf(message, column);
    return typeof id === "string" && id !== "" ? [[column, id] as const] : [];
  });
}
