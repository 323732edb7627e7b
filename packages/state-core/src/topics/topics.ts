import type { Writer } from "@hermes/state-schema";
import { checkText } from "../codec/check-text.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import { StateError } from "../errors/state-error.js";
import { sessionNotFound } from "../sessions/session-errors.js";
import type { StoreContext } from "../store/context.js";
import { bindingAt, bindingOf, bindingsIn, disableTopics, topicMode, unbindTopic } from "./topic-rows.js";
import type { TopicBinding, TopicMode } from "./topic-rows.js";
import { ensureTopicTables } from "./topic-tables.js";

const ENABLE = `
  INSERT INTO telegram_dm_topic_mode (chat_id, user_id, enabled, activated_at, updated_at, has_topics_enabled,
    allows_users_to_create_topics, capability_checked_at, intro_message_id, pinned_message_id)
  VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (chat_id) DO UPDATE SET user_id = excluded.user_id,
    activated_at = CASE WHEN enabled = 0 THEN excluded.activated_at ELSE activated_at END,
    enabled = 1, updated_at = excluded.updated_at,
    has_topics_enabled = COALESCE(excluded.has_topics_enabled, has_topics_enabled),
    allows_users_to_create_topics = COALESCE(excluded.allows_users_to_create_topics, allows_users_to_create_topics),
    capability_checked_at = COALESCE(excluded.capability_checked_at, capability_checked_at),
    intro_message_id = COALESCE(excluded.intro_message_id, intro_message_id),
    pinned_message_id = COALESCE(excluded.pinned_message_id, pinned_message_id)`;

const SELECT_SESSION = "SELECT 1 AS known FROM sessions WHERE id = ?";

const BIND = `
  INSERT INTO telegram_dm_topic_bindings
    (chat_id, thread_id, user_id, session_key, session_id, managed_mode, linked_at, updated_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (chat_id, thread_id) DO UPDATE SET user_id = excluded.user_id, session_key = excluded.session_key,
    session_id = excluded.session_id, managed_mode = excluded.managed_mode, updated_at = excluded.updated_at,
    linked_at = CASE WHEN session_id = excluded.session_id THEN linked_at ELSE excluded.linked_at END`;

/** What is known about the topics of a chat; absent keeps what is stored. */
export interface TopicOptions {
  readonly hasTopicsEnabled?: boolean;
  readonly allowsUsersToCreateTopics?: boolean;
  readonly introMessageId?: string;
  readonly pinnedMessageId?: string;
}

/** A topic and the session it is to show. */
export interface NewBinding {
  readonly chatId: string;
  readonly threadId: string;
  readonly userId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  /** Default `auto`. */
  readonly managedMode?: string;
}

const BINDING_KEYS = ["chatId", "threadId", "userId", "sessionKey", "sessionId"] as const;

/** The session is shown in another topic already. */
function topicTaken(sessionId: string, chatId: string, threadId: string): StateError {
  return new StateError(
    "STATE_E_TOPIC_TAKEN",
    `Session ${JSON.stringify(sessionId)} is shown in topic ${JSON.stringify(threadId)} of chat ` +
      `${JSON.stringify(chatId)} already. Remove that binding first.`,
    { sessionId, chatId, threadId },
  );
}

function bind(w: Writer, binding: NewBinding, now: number): void {
  const { chatId, threadId, userId, sessionKey, sessionId, managedMode = "auto" } = binding;
  ensureTopicTables(w);
  if (!w.get(SELECT_SESSION, [sessionId])) throw sessionNotFound(sessionId);
  const held = bindingOf(w, sessionId);
  if (held && (held.chatId !== chatId || held.threadId !== threadId)) {
    throw topicTaken(sessionId, String(held.chatId), String(held.threadId));
  }
  w.run(BIND, [chatId, threadId, userId, sessionKey, sessionId, managedMode, now, now]);
}

/**
 * Topics of chats that opted in to them, and the sessions they show. The tables are made when the first chat opts in
 * and never before; without them every question is answered with nothing (COR-36).
 */
export class Topics {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** Turns the topics of a chat on. */
  enable(chatId: string, userId: string, options: TopicOptions = {}): void {
    checkText("topics.enable: the chat id", chatId);
    checkText("topics.enable: the user id", userId);
    const known: readonly (keyof TopicOptions)[] = [
      "hasTopicsEnabled",
      "allowsUsersToCreateTopics",
      "introMessageId",
      "pinnedMessageId",
    ];
    checkKnownOptions("topics.enable", options, known);
    const { hasTopicsEnabled: has, allowsUsersToCreateTopics: allows, introMessageId, pinnedMessageId } = options;
    const now = this.#context.clock.now();
    const flags = [has, allows].map((flag) => (flag === undefined ? null : Number(flag)));
    const checked = has === undefined && allows === undefined ? null : now;
    const params = [chatId, userId, now, now, ...flags, checked, introMessageId ?? null, pinnedMessageId ?? null];
    this.#context.write("turn topics on", (w) => {
      ensureTopicTables(w);
      w.run(ENABLE, params);
    });
  }

  /** Turns the topics of a chat off; its bindings stay. @returns Whether they were on. */
  disable(chatId: string): boolean {
    const now = this.#context.clock.now();
    return this.#context.write("turn topics off", (w) => disableTopics(w, chatId, now));
  }

  /** What is known about the topics of a chat; undefined when it never opted in. */
  mode(chatId: string): TopicMode | undefined {
    return this.#context.read((r) => topicMode(r, chatId));
  }

  /**
   * Has a topic show a session, in place of another one. A session is shown in one topic at most.
   *
   * @throws StateError `STATE_E_TOPIC_TAKEN`, `STATE_E_SESSION_NOT_FOUND`.
   */
  bind(binding: NewBinding): void {
    checkKnownOptions("topics.bind", binding, [...BINDING_KEYS, "managedMode"]);
    for (const key of BINDING_KEYS) checkText(`topics.bind: ${key}`, binding[key]);
    const now = this.#context.clock.now();
    this.#context.write("bind a topic", (w) => bind(w, binding, now));
  }

  /** Removes the binding of a topic; with the last one of a chat its topics end. @returns Whether there was one. */
  unbind(chatId: string, threadId: string): boolean {
    const now = this.#context.clock.now();
    return this.#context.write("unbind a topic", (w) => unbindTopic(w, chatId, threadId, now));
  }

  /** What a topic shows, or undefined. */
  bindingAt(chatId: string, threadId: string): TopicBinding | undefined {
    return this.#context.read((r) => bindingAt(r, chatId, threadId));
  }

  /** Where a session is shown, or undefined. */
  bindingOf(sessionId: string): TopicBinding | undefined {
    return this.#context.read((r) => bindingOf(r, sessionId));
  }

  /** What the topics of a chat show, the oldest binding first. */
  bindings(chatId: string): readonly TopicBinding[] {
    return this.#context.read((r) => bindingsIn(r, chatId));
  }
}
