import type { TranscriptReceipt, TranscriptTarget } from "@hermes/gateway-session";
import { isStateError } from "@hermes/state-core";
import type { NewMessage, RewindReceipt, TranscriptMessage } from "@hermes/state-core";
import { newMessage, newMessages } from "../../session-db/new-message.js";
import type { MessageInput } from "../../session-db/new-message.js";
import { flagArgument, numberArgument } from "../../session-db/one-argument.js";
import type { Alone } from "../../session-db/one-argument.js";
import { SessionStoreMarks } from "./session-store-marks.js";
import type { SessionStoreOptions } from "./session-store-options.js";

/**
 * The session store of a gateway as one object under the old names, over the router, the writer of transcripts and one
 * database (CPT-03). Every method returns a promise, since a storage may be elsewhere.
 *
 * @example
 * ```ts
 * await using sessions = await SessionStore.open({ path: "state.db" });
 * const { sessionId } = await sessions.getOrCreateSession({ platform: "telegram", chatId: "42" });
 * await sessions.appendToTranscript(sessionId, { role: "user", content: "hello" });
 * ```
 */
export class SessionStore extends SessionStoreMarks {
  /** Opens a store and waits until it is open. @throws What opening the database or its spool throws. */
  static async open(options: SessionStoreOptions = {}): Promise<SessionStore> {
    const sessions = new this(options);
    await sessions.parts();
    return sessions;
  }

  /**
   * Appends a message behind all earlier ones of its session, in either spelling of the keys.
   *
   * @param skipDb - The agent stored it itself: nothing is done. Alone or by name.
   * @returns What became of it: acknowledge a message only when that is `durable`.
   * @throws What the store says to a message it will never take.
   */
  async appendToTranscript(
    sessionId: string,
    message: MessageInput,
    skipDb?: Alone<"skipDb", boolean>,
  ): Promise<TranscriptReceipt> {
    const options = { alreadyStored: flagArgument("SessionStore.appendToTranscript", "skipDb", skipDb) };
    const { writer } = await this.parts();
    return writer.append(await this.#target(sessionId), newMessage(message), options);
  }

  /** Whether a session holds a message with a platform's id. */
  async hasPlatformMessageId(sessionId: string, platformMessageId: string): Promise<boolean> {
    return (await this.parts()).store.messages.hasPlatformMessageId(sessionId, platformMessageId);
  }

  /**
   * Puts a list in the place of a transcript.
   *
   * @param activeOnly - Leaves what is compacted or rewound. Alone or by name.
   * @returns False when it could not be done; everything is as it was.
   * @throws TypeError for what is no list of messages.
   */
  async rewriteTranscript(
    sessionId: string,
    messages: readonly MessageInput[],
    activeOnly?: Alone<"activeOnly", boolean>,
  ): Promise<boolean> {
    const mode = flagArgument("SessionStore.rewriteTranscript", "activeOnly", activeOnly) ? "active-only" : "all";
    const list = newMessages("SessionStore.rewriteTranscript", messages);
    const { writer } = await this.parts();
    try {
      await writer.rewrite(await this.#target(sessionId), list, mode);
      return true;
    } catch (error) {
      // The old contract: callers ask for the answer and not for the reason.
      if (isStateError(error)) return false;
      throw error;
    }
  }

  /**
   * What the model sees of a conversation, with what waits to be stored.
   *
   * @throws What the storage throws: an unreadable conversation is never an empty one.
   */
  async loadTranscript(sessionId: string): Promise<(TranscriptMessage | NewMessage)[]> {
    const { writer } = await this.parts();
    const { messages, unstored } = await writer.load(await this.#target(sessionId));
    return [...messages, ...unstored];
  }

  /** Takes the last turns of the user back; nothing is deleted. @returns Null when the user said nothing yet. */
  async rewindSession(sessionId: string, n?: Alone<"n", number>): Promise<RewindReceipt | null> {
    const turns = numberArgument("SessionStore.rewindSession", "n", n) ?? 1;
    const { writer } = await this.parts();
    return writer.rewind(await this.#target(sessionId), turns);
  }

  async #target(sessionId: string): Promise<TranscriptTarget> {
    const sessionKey = (await this.parts()).router.bySession(sessionId)?.sessionKey;
    return sessionKey === undefined ? { sessionId } : { sessionId, sessionKey };
  }
}
