import { checkChoice } from "../codec/check-choice.js";
import { checkText } from "../codec/check-text.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import { generationToken } from "../store/generation-token.js";
import type { StoreContext } from "../store/context.js";
import { appendMessages } from "./append-messages.js";
import { checkAppendOptions } from "./append-options.js";
import type { AppendOptions } from "./append-options.js";
import { checkMessageId, checkSessionId } from "./check-ids.js";
import { encodeBatch } from "./encode-batch.js";
import { MessageReader } from "./message-reader.js";
import type { NewMessage } from "./new-message.js";
import { react } from "./reactions/react.js";
import type { Reaction, ReactionChange, UnseenReaction } from "./reactions/reaction.js";
import { hasUnseen, takeUnseen } from "./reactions/take-unseen.js";
import type { MessageReceipt } from "./receipt.js";
import { clearMessages } from "./rewriting/clear.js";
import { REPLACE_MODES, replaceMessages } from "./rewriting/replace.js";
import type { ReplacedTranscript, ReplaceMode } from "./rewriting/replace.js";
import { restoreFrom } from "./rewriting/restore.js";
import type { RestoreReceipt } from "./rewriting/restore.js";
import { rewindTo } from "./rewriting/rewind.js";
import type { RewindReceipt } from "./rewriting/rewind.js";
import { markStored } from "./saving/mark-stored.js";
import { saveTranscript } from "./saving/save-transcript.js";
import type { SavedTranscript, SaveTranscriptOptions } from "./saving/save-transcript.js";

const REACTION_KEYS: readonly (keyof ReactionChange)[] = ["sessionId", "author", "emoji"];

/** Messages of sessions: store them, take them back, read them. Order is insertion order everywhere (COR-22). */
export class Messages extends MessageReader {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    super(context);
    this.#context = context;
  }

  /**
   * Appends one message; it is durable when this returns.
   *
   * @returns Which row it became, or the row that already carries its platform id (with `once`: or its uid).
   * @throws TypeError for an unknown key or a wrong type. StateError `STATE_E_SESSION_NOT_FOUND`,
   * `STATE_E_COMPRESSION_CLOSED` with the id of the live continuation, `STATE_E_BAD_TIMESTAMP` (COR-21),
   * `STATE_E_TURN_LEASE_LOST` (COR-25).
   */
  append(sessionId: string, message: NewMessage, options: AppendOptions = {}): MessageReceipt {
    const [receipt] = this.appendBatch(sessionId, [message], options);
    return receipt as MessageReceipt;
  }

  /**
   * Appends messages in one transaction: all of them or none.
   *
   * @returns One receipt per message, in order; none for an empty list.
   * @throws As {@link Messages.append}.
   */
  appendBatch(
    sessionId: string,
    messages: readonly NewMessage[],
    options: AppendOptions = {},
  ): readonly MessageReceipt[] {
    checkSessionId(sessionId);
    checkAppendOptions("messages.append", options);
    const now = this.#context.clock.now();
    const encoded = encodeBatch(sessionId, messages, now);
    if (encoded.length === 0) return [];
    const label = encoded.length === 1 ? "append a message" : "append messages";
    return this.#context.write(label, (w) => appendMessages(w, sessionId, encoded, now, options), "transcript");
  }

  /**
   * Stores what is new of a transcript, in one transaction. What was loaded or saved before is known by its marker,
   * however the list was copied; a marker counts only for the session and the store it names, so a branch or a summary
   * is new where it goes. New messages are marked on the spot, and in the list that is returned.
   *
   * A stored message that is not in the list stays stored. A new message before stored ones, stored messages in another
   * order or changed, rows that are gone, and a list that has lost its markers are typed errors, and nothing is stored
   * (docs/transcripts.md).
   *
   * @example
   * ```ts
   * const history = [...store.messages.conversation("s1").messages];
   * history.push({ role: "user", content: "and then?" });
   * store.messages.saveTranscript("s1", history);
   * ```
   * @throws TypeError for an unknown key or option or what is no marker. StateError `STATE_E_TRANSCRIPT_ORDER`,
   * `STATE_E_TRANSCRIPT_EDITED`, `STATE_E_TRANSCRIPT_STALE`, `STATE_E_TRANSCRIPT_UNMARKED`, and as
   * {@link Messages.append} (COR-23).
   */
  saveTranscript(
    sessionId: string,
    messages: readonly NewMessage[],
    options: SaveTranscriptOptions = {},
  ): SavedTranscript {
    checkSessionId(sessionId);
    return saveTranscript(this.#context, sessionId, messages, options);
  }

  /**
   * Takes a user message and everything after it back. Nothing is deleted; {@link Messages.restoreFrom} undoes it.
   *
   * @throws StateError `STATE_E_REWIND_TARGET` when it is no user message of the session or a compacted one,
   * `STATE_E_SESSION_NOT_FOUND`, `STATE_E_COMPRESSION_CLOSED` (COR-27).
   */
  rewindTo(sessionId: string, messageId: number): RewindReceipt {
    checkSessionId(sessionId);
    checkMessageId(messageId);
    const now = this.#context.clock.now();
    return this.#context.write("rewind a session", (w) => rewindTo(w, sessionId, messageId, now), "transcript");
  }

  /**
   * Brings rewound messages back, from an id on. What a compaction put away stays away.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_COMPRESSION_CLOSED` (COR-27).
   */
  restoreFrom(sessionId: string, messageId: number): RestoreReceipt {
    checkSessionId(sessionId);
    checkMessageId(messageId);
    const now = this.#context.clock.now();
    return this.#context.write("restore messages", (w) => restoreFrom(w, sessionId, messageId, now), "transcript");
  }

  /**
   * Puts a list in the place of a session's messages; the counters are those of the list. For an edit or a new answer
   * use `archive-dropped`, which deletes nothing. The messages are marked as {@link Messages.saveTranscript} does.
   *
   * @throws TypeError for an unknown key or mode. StateError `STATE_E_SESSION_NOT_FOUND`,
   * `STATE_E_COMPRESSION_CLOSED`, `STATE_E_BAD_TIMESTAMP` (COR-27).
   */
  replace(sessionId: string, messages: readonly NewMessage[], mode: ReplaceMode): ReplacedTranscript {
    checkSessionId(sessionId);
    checkChoice("messages.replace: mode", mode, REPLACE_MODES);
    const now = this.#context.clock.now();
    const encoded = encodeBatch(sessionId, messages, now);
    const generation = this.#context.read(generationToken);
    const replaced = this.#context.write(
      "replace the messages of a session",
      (w) => replaceMessages(w, sessionId, encoded, mode, now),
      "transcript",
    );
    const fresh = messages.map((message) => ({ message }));
    const marked = markStored(generation, { sessionId, fresh, newest: 0 }, replaced.receipts);
    return { sessionId, messages: marked, ...replaced };
  }

  /**
   * Deletes every message of a session.
   *
   * @returns How many there were.
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  clear(sessionId: string): number {
    checkSessionId(sessionId);
    return this.#context.write("clear a session", (w) => clearMessages(w, sessionId), "transcript");
  }

  /**
   * Changes the reaction of one author to a message: the same one again takes it back, another takes its place, null
   * clears.
   *
   * @returns All reactions to the message; null when the session has no such message.
   * @throws TypeError for an unknown key or a wrong type (COR-36).
   */
  react(id: number, change: ReactionChange): readonly Reaction[] | null {
    checkMessageId(id);
    checkKnownOptions("messages.react", change, REACTION_KEYS);
    checkSessionId(change.sessionId);
    checkText("messages.react: author", change.author);
    if (change.emoji !== null) checkText("messages.react: emoji", change.emoji);
    const now = this.#context.clock.now();
    return this.#context.write("react to a message", (w) => react(w, id, change, now));
  }

  /**
   * Takes notice of an author's reactions to what the model sees; each is given out exactly once.
   *
   * @returns Oldest message first (COR-36).
   */
  takeUnseenReactions(sessionId: string, author = "user"): readonly UnseenReaction[] {
    checkSessionId(sessionId);
    checkText("messages.takeUnseenReactions: author", author);
    if (!this.#context.read((r) => hasUnseen(r, sessionId, author))) return [];
    return this.#context.write("take notice of reactions", (w) => takeUnseen(w, sessionId, author));
  }
}
