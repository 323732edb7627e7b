import { checkKnownOptions, ensureTopicTables } from "@hermes/state-core";
import type { SessionSummary, TopicBinding } from "@hermes/state-core";
import { given } from "./given.js";
import { SessionDbHandoff } from "./session-db-handoff.js";

/** A topic of a chat. */
export interface TopicPlace {
  readonly chatId?: string;
  readonly threadId?: string;
}

/** A chat that opts in to topics, and what is known about it. */
export interface EnableTopics {
  readonly chatId?: string;
  readonly userId?: string;
  readonly hasTopicsEnabled?: boolean | null;
  readonly allowsUsersToCreateTopics?: boolean | null;
}

/** A topic, and the session it is to show. */
export interface BindTopic extends TopicPlace {
  readonly userId?: string;
  readonly sessionKey?: string;
  readonly sessionId?: string;
  /** Default `auto`. */
  readonly managedMode?: string | null;
}

function text(what: string, options: object, name: string): string {
  const value = (options as Readonly<Record<string, unknown>>)[name];
  if (typeof value === "string" && value !== "") return value;
  throw new TypeError(
    `${what}: ${name} must be a non-empty string, not ${value === undefined ? "absent" : JSON.stringify(value)}.`,
  );
}

/** The topics of Telegram chats in the one-object store. Without any, every question is answered with nothing. */
export abstract class SessionDbTopics extends SessionDbHandoff {
  /** Makes the tables of topics, or brings them up to date. */
  applyTelegramTopicMigration(): void {
    this.store.write("make the tables of topics", (w) => {
      ensureTopicTables(w);
    });
  }

  /** Turns the topics of a chat on. @throws TypeError without a chat or a user. */
  enableTelegramTopicMode(options: EnableTopics = {}): void {
    const what = "SessionDB.enableTelegramTopicMode";
    checkKnownOptions(what, options, ["chatId", "userId", "hasTopicsEnabled", "allowsUsersToCreateTopics"]);
    const { chatId: _chat, userId: _user, ...known } = given(options);
    this.store.topics.enable(text(what, options, "chatId"), text(what, options, "userId"), known);
  }

  /** Turns them off. @param options - `clearBindings`: and forget what they show, the default. */
  disableTelegramTopicMode(options: { readonly chatId?: string; readonly clearBindings?: boolean } = {}): void {
    const what = "SessionDB.disableTelegramTopicMode";
    checkKnownOptions(what, options, ["chatId", "clearBindings"]);
    const chatId = text(what, options, "chatId");
    // Off first: whoever is killed here leaves bindings that nobody asks for.
    this.store.topics.disable(chatId);
    if (options.clearBindings === false) return;
    for (const { threadId } of this.store.topics.bindings(chatId)) {
      if (typeof threadId === "string") this.store.topics.unbind(chatId, threadId);
    }
  }

  /** Whether the topics of a chat are on, for this user. */
  isTelegramTopicModeEnabled(options: { readonly chatId?: string; readonly userId?: string } = {}): boolean {
    const what = "SessionDB.isTelegramTopicModeEnabled";
    checkKnownOptions(what, options, ["chatId", "userId"]);
    const mode = this.store.topics.mode(text(what, options, "chatId"));
    return mode?.enabled === true && mode.userId === text(what, options, "userId");
  }

  /** What a topic shows, or null. */
  getTelegramTopicBinding(options: TopicPlace = {}): TopicBinding | null {
    const what = "SessionDB.getTelegramTopicBinding";
    checkKnownOptions(what, options, ["chatId", "threadId"]);
    const found = this.store.topics.bindingAt(text(what, options, "chatId"), text(what, options, "threadId"));
    return found ? this.row(found) : null;
  }

  /** What the topics of a chat show, the oldest binding first. */
  listTelegramTopicBindingsForChat(options: { readonly chatId?: string } = {}): TopicBinding[] {
    const what = "SessionDB.listTelegramTopicBindingsForChat";
    checkKnownOptions(what, options, ["chatId"]);
    return this.rows(this.store.topics.bindings(text(what, options, "chatId")));
  }

  /** Where a session is shown, or null. */
  getTelegramTopicBindingBySession(options: { readonly sessionId?: string } = {}): TopicBinding | null {
    const what = "SessionDB.getTelegramTopicBindingBySession";
    checkKnownOptions(what, options, ["sessionId"]);
    const found = this.store.topics.bindingOf(text(what, options, "sessionId"));
    return found ? this.row(found) : null;
  }

  /** Removes what a topic shows; with the last binding of a chat its topics end. @returns Whether there was one. */
  deleteTelegramTopicBinding(options: TopicPlace = {}): boolean {
    const what = "SessionDB.deleteTelegramTopicBinding";
    checkKnownOptions(what, options, ["chatId", "threadId"]);
    return this.store.topics.unbind(text(what, options, "chatId"), text(what, options, "threadId"));
  }

  /**
   * Has a topic show a session, in place of another one.
   *
   * @throws TypeError without any of the five names. StateError `STATE_E_TOPIC_TAKEN` for a session that another topic
   * shows, `STATE_E_SESSION_NOT_FOUND`.
   */
  bindTelegramTopic(options: BindTopic = {}): void {
    const what = "SessionDB.bindTelegramTopic";
    const names = ["chatId", "threadId", "userId", "sessionKey", "sessionId", "managedMode"];
    checkKnownOptions(what, options, names);
    const { managedMode } = given(options);
    this.store.topics.bind({
      chatId: text(what, options, "chatId"),
      threadId: text(what, options, "threadId"),
      userId: text(what, options, "userId"),
      sessionKey: text(what, options, "sessionKey"),
      sessionId: text(what, options, "sessionId"),
      ...(managedMode !== undefined && { managedMode }),
    });
  }

  /** Whether any topic shows a session. */
  isTelegramSessionLinkedToTopic(options: { readonly sessionId?: string } = {}): boolean {
    return this.getTelegramTopicBindingBySession(options) !== null;
  }

  /**
   * Sessions of a user that no topic shows, the most recently active first; none of other chats.
   *
   * @param options - `limit`: default 10.
   */
  listUnlinkedTelegramSessionsForUser(
    options: {
      readonly chatId?: string;
      readonly userId?: string;
      readonly limit?: number;
    } = {},
  ): SessionSummary[] {
    const what = "SessionDB.listUnlinkedTelegramSessionsForUser";
    checkKnownOptions(what, options, ["chatId", "userId", "limit"]);
    const [chatId, userId] = [text(what, options, "chatId"), text(what, options, "userId")];
    const { limit = 10 } = options;
    const found: SessionSummary[] = [];
    for (const line of this.store.sessions.iterate({ source: "telegram", userId, order: "active" })) {
      if (found.length >= limit) break;
      const here = line.chatId === null || line.chatId === chatId;
      if (here && this.store.topics.bindingOf(line.id) === undefined) found.push(line);
    }
    return this.rows(found);
  }
}
