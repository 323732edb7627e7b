import type { Reader } from "@hermes/state-schema";
import { checkChoice } from "../codec/check-choice.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import { StateError } from "../errors/state-error.js";
import { walkAncestors } from "../lineage/walk-ancestors.js";
import { sessionNotFound } from "../sessions/session-errors.js";
import type { StoreContext } from "../store/context.js";
import { appendMessages } from "./append-messages.js";
import { encodeBatch } from "./encode-batch.js";
import { MESSAGE_DECODER } from "./message-decoder.js";
import { MESSAGE_SCOPES } from "./message-page.js";
import type { MessagePage, MessagePageOptions, MessageScope } from "./message-page.js";
import { countSql, SELECT_MESSAGE } from "./message-queries.js";
import type { MessageRow } from "./message-row.js";
import type { NewMessage } from "./new-message.js";
import { readConversation } from "./read-conversation.js";
import { readMessagePage } from "./read-message-page.js";
import type { MessageReceipt } from "./receipt.js";
import type { ConversationOptions, Transcript } from "./transcript.js";

const CONVERSATION_OPTIONS: readonly (keyof ConversationOptions)[] = [
  "includeAncestors",
  "includeInactive",
  "repairAlternation",
  "includeRowIds",
];

function checkId(sessionId: unknown): void {
  if (typeof sessionId !== "string") throw new TypeError(`A session id must be a string, not ${typeof sessionId}.`);
}

/** Messages of sessions: append, read, count. Order is insertion order everywhere (COR-22). */
export class Messages {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /**
   * Appends one message; it is durable when this returns.
   *
   * @returns Which row it became, or the row that already carries its platform id.
   * @throws TypeError for an unknown key or a wrong type. StateError `STATE_E_SESSION_NOT_FOUND`,
   * `STATE_E_COMPRESSION_CLOSED` with the id of the live continuation, `STATE_E_BAD_TIMESTAMP` (COR-21).
   */
  append(sessionId: string, message: NewMessage): MessageReceipt {
    const [receipt] = this.appendBatch(sessionId, [message]);
    return receipt as MessageReceipt;
  }

  /**
   * Appends messages in one transaction: all of them or none.
   *
   * @returns One receipt per message, in order; none for an empty list.
   * @throws As {@link Messages.append}.
   */
  appendBatch(sessionId: string, messages: readonly NewMessage[]): readonly MessageReceipt[] {
    checkId(sessionId);
    const now = this.#context.clock.now();
    const encoded = encodeBatch(sessionId, messages, now);
    if (encoded.length === 0) return [];
    const label = encoded.length === 1 ? "append a message" : "append messages";
    return this.#context.write(label, (w) => appendMessages(w, sessionId, encoded, now), "transcript");
  }

  /**
   * One message with every field.
   *
   * @throws StateError `STATE_E_MESSAGE_NOT_FOUND`.
   */
  get(id: number): MessageRow {
    const row = this.find(id);
    if (row) return row;
    const text = `There is no message ${id}. Page through its session instead.`;
    throw new StateError("STATE_E_MESSAGE_NOT_FOUND", text, { id });
  }

  /** One message with every field, or undefined. */
  find(id: number): MessageRow | undefined {
    if (!Number.isSafeInteger(id)) throw new TypeError(`A message id must be a whole number, not ${String(id)}.`);
    const [cells] = this.#context.read((r) => r.tuples(SELECT_MESSAGE, [id]));
    return cells && MESSAGE_DECODER.decode(cells);
  }

  /**
   * How many messages a session has.
   *
   * @param include - Default `active`.
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  count(sessionId: string, include: MessageScope = "active"): number {
    checkChoice("messages.count: include", include, MESSAGE_SCOPES);
    return this.#readSession(sessionId, (r) => r.get<{ total: number }>(countSql(include), [sessionId])?.total ?? 0);
  }

  /**
   * A page of messages with every field.
   *
   * @throws TypeError for an unknown option, RangeError for an impossible limit. StateError
   * `STATE_E_SESSION_NOT_FOUND`, `STATE_E_BAD_CURSOR`.
   */
  page(sessionId: string, options: MessagePageOptions = {}): MessagePage {
    return this.#readSession(sessionId, (r) => readMessagePage(r, sessionId, options));
  }

  /**
   * What the model sees: active rows in insertion order, without injected context, empty fields left out.
   *
   * @throws TypeError for an unknown option. StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  conversation(sessionId: string, options: ConversationOptions = {}): Transcript {
    checkKnownOptions("messages.conversation", options, CONVERSATION_OPTIONS);
    return this.#readSession(sessionId, (r) => {
      const steps = options.includeAncestors ? walkAncestors(r, sessionId) : [{ id: sessionId }];
      const sessionIds = steps.map((step) => step.id).reverse();
      return { sessionId, sessionIds, ...readConversation(r, sessionIds, options) };
    });
  }

  #readSession<T>(sessionId: string, read: (r: Reader) => T): T {
    checkId(sessionId);
    return this.#context.read((r) => {
      if (!r.get("SELECT 1 AS known FROM sessions WHERE id = ?", [sessionId])) throw sessionNotFound(sessionId);
      return read(r);
    });
  }
}
