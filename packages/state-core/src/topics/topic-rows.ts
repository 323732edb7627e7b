import { TABLES } from "@hermes/state-schema";
import type { Reader, SqlValue, Writer } from "@hermes/state-schema";
import { readFlag } from "../codec/cell-readers.js";
import type { CellReader } from "../codec/cell-readers.js";
import type { Maybe } from "../codec/maybe.js";
import { RowDecoder } from "../codec/row-decoder.js";
import { hasTopicTable } from "./topic-tables.js";

/** A chat that opted in to topics. Moments are REAL seconds since the epoch. */
export interface TopicMode {
  readonly chatId: Maybe<string>;
  readonly userId: Maybe<string>;
  readonly enabled: boolean | undefined;
  readonly activatedAtSeconds: Maybe<number>;
  readonly updatedAtSeconds: Maybe<number>;
  /** Null for not known; so is the next. */
  readonly hasTopicsEnabled: Maybe<boolean>;
  readonly allowsUsersToCreateTopics: Maybe<boolean>;
  readonly capabilityCheckedAtSeconds: Maybe<number>;
  readonly introMessageId: Maybe<string>;
  readonly pinnedMessageId: Maybe<string>;
  /** Keys whose cells could not be read as their type; they are undefined here. */
  readonly damaged: readonly string[];
}

/** Which topic shows which session. Moments are REAL seconds since the epoch. */
export interface TopicBinding {
  readonly chatId: Maybe<string>;
  readonly threadId: Maybe<string>;
  readonly userId: Maybe<string>;
  readonly sessionKey: Maybe<string>;
  readonly sessionId: Maybe<string>;
  readonly managedMode: Maybe<string>;
  readonly linkedAtSeconds: Maybe<number>;
  readonly updatedAtSeconds: Maybe<number>;
  /** Keys whose cells could not be read as their type; they are undefined here. */
  readonly damaged: readonly string[];
}

const readKnownFlag: CellReader = (cell, damaged) => (cell === null ? null : readFlag(cell, damaged));

const MODE = new RowDecoder<TopicMode>(TABLES.telegram_dm_topic_mode, {
  readers: {
    enabled: readFlag,
    has_topics_enabled: readKnownFlag,
    allows_users_to_create_topics: readKnownFlag,
  },
});
const BINDING = new RowDecoder<TopicBinding>(TABLES.telegram_dm_topic_bindings);

const SELECT_MODE = `SELECT ${MODE.select("m")} FROM telegram_dm_topic_mode AS m WHERE m.chat_id = ?`;
const SELECT_BINDINGS = `SELECT ${BINDING.select("b")} FROM telegram_dm_topic_bindings AS b`;
const BY_TOPIC = `${SELECT_BINDINGS} WHERE b.chat_id = ? AND b.thread_id = ?`;
const BY_SESSION = `${SELECT_BINDINGS} WHERE b.session_id = ?`;
const BY_CHAT = `${SELECT_BINDINGS} WHERE b.chat_id = ? ORDER BY b.linked_at, b.thread_id`;

const DISABLE = "UPDATE telegram_dm_topic_mode SET enabled = 0, updated_at = ? WHERE chat_id = ? AND enabled <> 0";
const DELETE_BINDING = "DELETE FROM telegram_dm_topic_bindings WHERE chat_id = ? AND thread_id = ?";

/** Whether a chat opted in; undefined when it never did. */
export function topicMode(r: Reader, chatId: string): TopicMode | undefined {
  const [cells] = hasTopicTable(r, "mode") ? r.tuples(SELECT_MODE, [chatId]) : [];
  return cells && MODE.decode(cells);
}

function bindings(r: Reader, sql: string, params: readonly SqlValue[]): TopicBinding[] {
  if (!hasTopicTable(r, "bindings")) return [];
  return r.tuples(sql, params).map((cells) => BINDING.decode(cells));
}

/** The binding of a topic, or undefined. */
export function bindingAt(r: Reader, chatId: string, threadId: string): TopicBinding | undefined {
  return bindings(r, BY_TOPIC, [chatId, threadId])[0];
}

/** The binding of a session, or undefined. */
export function bindingOf(r: Reader, sessionId: string): TopicBinding | undefined {
  return bindings(r, BY_SESSION, [sessionId])[0];
}

/** The bindings of a chat, the oldest first. */
export function bindingsIn(r: Reader, chatId: string): TopicBinding[] {
  return bindings(r, BY_CHAT, [chatId]);
}

/** Ends the topics of a chat. @returns Whether they were on. @param now - REAL seconds. */
export function disableTopics(w: Writer, chatId: string, now: number): boolean {
  return hasTopicTable(w, "mode") && w.run(DISABLE, [now, chatId]).changes > 0;
}

/** Removes a binding; with the last one of a chat its topics end. @returns Whether there was one. */
export function unbindTopic(w: Writer, chatId: string, threadId: string, now: number): boolean {
  if (!hasTopicTable(w, "bindings")) return false;
  if (w.run(DELETE_BINDING, [chatId, threadId]).changes === 0) return false;
  if (bindingsIn(w, chatId).length === 0) disableTopics(w, chatId, now);
  return true;
}
