import { checkKnownOptions, encodeDisplayMetadata } from "@hermes/state-core";
import type { JsonObject, JsonValue, MessageContent, Reaction } from "@hermes/state-core";
import { callArguments } from "./call-arguments.js";
import { flagOf } from "./flag-of.js";
import { newestEqual } from "./match-message.js";
import { APPEND_NAMES, APPEND_OBJECTS } from "./message-options.js";
import type {
  AppendBatchOptions,
  AppendMessageOptions,
  DisplayKindOptions,
  ReplaceMessagesOptions,
  UnseenMessageReaction,
} from "./message-options.js";
import { modelConfig } from "./model-config.js";
import { newMessage, newMessages } from "./new-message.js";
import type { MessageInput } from "./new-message.js";
import { ofSession } from "./of-session.js";
import type { Alone } from "./one-argument.js";
import { ifSessionExists } from "./quiet.js";
import { SessionDbCompaction } from "./session-db-compaction.js";

const STEP_SECONDS = 1e-6;
const SET_KIND = "UPDATE messages SET display_kind = ? WHERE id = ?";
const SET_METADATA = "UPDATE messages SET display_metadata = ? WHERE id = ?";
const SET_API_CONTENT = "UPDATE messages SET api_content = ? WHERE id = ?";

function chunkOf(given: unknown, all: number): number {
  if (given === undefined || given === null || given === 0) return all;
  if (typeof given === "number" && Number.isSafeInteger(given) && given > 0) return given;
  throw new RangeError(`SessionDB.appendMessagesBatch: chunkRows is ${JSON.stringify(given)}, no whole number.`);
}

function checkCell(what: string, value: unknown): void {
  if (value === null || typeof value === "string") return;
  throw new TypeError(`SessionDB.${what} must be a string or null, not ${typeof value}.`);
}

/** The messages of the one-object store: append, rewrite, mark. */
export abstract class SessionDbMessages extends SessionDbCompaction {
  /**
   * Appends one message; it is durable when this returns.
   *
   * @param sessionId - Then `role`, `content` and the rest in the old order, or by name in one last object.
   * @returns The id of its row, or of the row that has its platform id already.
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_COMPRESSION_CLOSED`, `STATE_E_BAD_TIMESTAMP`.
   */
  appendMessage(sessionId: string, role: string, options?: AppendMessageOptions & { content?: MessageContent }): number;
  appendMessage(sessionId: string, role: string, content?: MessageContent, options?: AppendMessageOptions): number;
  appendMessage(sessionId: string, message: AppendMessageOptions & { role: string; content?: MessageContent }): number;
  appendMessage(
    sessionId: string,
    role: string,
    content?: MessageContent,
    toolName?: string | null,
    toolCalls?: JsonValue,
    toolCallId?: string | null,
    tokenCount?: number | null,
    finishReason?: string | null,
    reasoning?: string | null,
    reasoningContent?: string | null,
    reasoningDetails?: JsonValue,
    codexReasoningItems?: JsonValue,
    codexMessageItems?: JsonValue,
    ...rest: readonly unknown[]
  ): number;
  appendMessage(sessionId: string, ...args: readonly unknown[]): number {
    const what = "SessionDB.appendMessage";
    const { compressionLockHolder: _, ...message } = callArguments(what, args, APPEND_NAMES, [], APPEND_OBJECTS);
    return this.store.messages.append(sessionId, newMessage(message as unknown as MessageInput)).id;
  }

  /**
   * Appends messages in one transaction: all of them or none; with `chunkRows` so many at a time.
   *
   * @returns How many were stored: not those whose platform id the session has already.
   * @throws As {@link SessionDbMessages.appendMessage}.
   */
  appendMessagesBatch(sessionId: string, messages: readonly MessageInput[], options?: AppendBatchOptions): number;
  appendMessagesBatch(
    sessionId: string,
    messages: readonly MessageInput[],
    compressionLockHolder?: string | null,
    chunkRows?: number | null,
  ): number;
  appendMessagesBatch(sessionId: string, messages: readonly MessageInput[], ...args: readonly unknown[]): number {
    const what = "SessionDB.appendMessagesBatch";
    const { chunkRows } = callArguments(what, args, ["compressionLockHolder", "chunkRows"]);
    const now = this.store.clock.now();
    // Their order in time must not depend on how many go at once.
    const timed = newMessages(what, messages).map((message, at) => ({
      ...message,
      timestampSeconds: message.timestampSeconds ?? now + at * STEP_SECONDS,
    }));
    const size = chunkOf(chunkRows, timed.length);
    let stored = 0;
    for (let at = 0; at < timed.length; at += size) {
      const receipts = this.store.messages.appendBatch(sessionId, timed.slice(at, at + size));
      stored += receipts.filter((receipt) => !receipt.existing).length;
    }
    return stored;
  }

  /**
   * Puts a list in the place of a session's messages; the counters are those of the list.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_COMPRESSION_CLOSED`, `STATE_E_BAD_TIMESTAMP`.
   */
  replaceMessages(sessionId: string, messages: readonly MessageInput[], options?: ReplaceMessagesOptions): void;
  replaceMessages(
    sessionId: string,
    messages: readonly MessageInput[],
    activeOnly?: boolean,
    archiveDropped?: boolean,
  ): void;
  replaceMessages(sessionId: string, messages: readonly MessageInput[], ...args: readonly unknown[]): void {
    const what = "SessionDB.replaceMessages";
    const { activeOnly, archiveDropped } = callArguments(what, args, ["activeOnly", "archiveDropped"]);
    const hides = flagOf(`${what}: archiveDropped`, archiveDropped);
    const spares = flagOf(`${what}: activeOnly`, activeOnly);
    const mode = hides ? "archive-dropped" : spares ? "active-only" : "all";
    this.store.messages.replace(sessionId, newMessages(what, messages), mode);
  }

  /**
   * Compacts in place: every message the model sees becomes a compacted one, and these take their place. Where others
   * may append meanwhile, `store.compaction.archive` with a watermark keeps theirs live.
   *
   * @returns How many messages the model sees now.
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_COMPRESSION_CLOSED`, `STATE_E_BAD_TIMESTAMP`.
   */
  archiveAndCompact(
    sessionId: string,
    compactedMessages: readonly MessageInput[],
    modelConfigPatch?: Alone<"modelConfigPatch", JsonObject | null> | null,
  ): number {
    const what = "SessionDB.archiveAndCompact";
    const name = "modelConfigPatch";
    const patch = callArguments(what, [modelConfigPatch], [name], [], [name])[name] as JsonObject | null | undefined;
    const configPatch = patch ? { configPatch: modelConfig(what, patch) } : {};
    const messages = newMessages(what, compactedMessages);
    return this.store.compaction.archive(sessionId, messages, { watermark: null, ...configPatch }).activeCount;
  }

  /** Takes a user message and everything after it back; nothing is deleted. */
  rewindToMessage(
    sessionId: string,
    targetMessageId: number,
  ): { readonly rewoundCount: number; readonly targetMessage: object; readonly newHeadId: number | null } {
    const { rewoundCount, target, newHeadId } = this.store.messages.rewindTo(sessionId, targetMessageId);
    return this.row({ rewoundCount, targetMessage: this.row(target), newHeadId });
  }

  /** Brings rewound messages back, from an id on; never what a compaction put away. @returns How many. */
  restoreRewound(sessionId: string, sinceMessageId: number): number {
    return ofSession(() => this.store.messages.restoreFrom(sessionId, sinceMessageId).restoredCount, 0);
  }

  /** Deletes every message of a session; an unknown one is no error. */
  clearMessages(sessionId: string): void {
    ifSessionExists(() => this.store.messages.clear(sessionId));
  }

  /**
   * Says how the newest message is shown that the model sees and that has just this role and content.
   *
   * @returns Whether there is one.
   */
  setLatestMatchingMessageDisplayKind(
    sessionId: string,
    options: DisplayKindOptions = {} as DisplayKindOptions,
  ): boolean {
    const keys: readonly (keyof DisplayKindOptions)[] = ["role", "content", "displayKind", "displayMetadata"];
    checkKnownOptions("SessionDB.setLatestMatchingMessageDisplayKind", options, keys);
    const { role, content, displayKind, displayMetadata } = options;
    checkCell("setLatestMatchingMessageDisplayKind: displayKind", displayKind);
    return this.store.write("show a message in another way", (w) => {
      const id = newestEqual(w, sessionId, role, content);
      if (id === undefined) return false;
      w.run(SET_KIND, [displayKind, id]);
      if (displayMetadata !== undefined) w.run(SET_METADATA, [encodeDisplayMetadata(displayMetadata), id]);
      return true;
    });
  }

  /**
   * Keeps what was sent to the model for the newest user message with just this content.
   *
   * @returns Whether there is one.
   */
  setLatestUserApiContent(sessionId: string, content: MessageContent, apiContent: string | null): boolean {
    checkCell("setLatestUserApiContent: apiContent", apiContent);
    return this.store.write("keep what was sent", (w) => {
      const id = newestEqual(w, sessionId, "user", content);
      if (id === undefined) return false;
      return w.run(SET_API_CONTENT, [apiContent, id]).changes > 0;
    });
  }

  /**
   * Changes the reaction of one author to a message: the same one again takes it back, null clears.
   *
   * @returns All reactions to the message; null when the session has no such message.
   */
  setMessageReaction(
    sessionId: string,
    messageRowId: number,
    emoji: string | null,
    options: { readonly author?: string } = {},
  ): Reaction[] | null {
    checkKnownOptions("SessionDB.setMessageReaction", options, ["author"]);
    const { author = "user" } = options;
    const reactions = this.store.messages.react(messageRowId, { sessionId, author, emoji });
    return reactions && [...reactions];
  }

  /** Takes notice of an author's reactions; each is given out exactly once, oldest message first. */
  takeUnseenReactions(sessionId: string, options: { readonly author?: string } = {}): UnseenMessageReaction[] {
    checkKnownOptions("SessionDB.takeUnseenReactions", options, ["author"]);
    const taken = this.store.messages.takeUnseenReactions(sessionId, options.author);
    return this.rows(taken.map(({ id, ...reaction }) => ({ rowId: id, ...reaction })));
  }
}
