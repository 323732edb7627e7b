import type { Reader } from "@hermes/state-schema";
import { checkChoice } from "../codec/check-choice.js";
import { checkText } from "../codec/check-text.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import { StateError } from "../errors/state-error.js";
import { walkAncestors } from "../lineage/walk-ancestors.js";
import { sessionNotFound } from "../sessions/session-errors.js";
import type { StoreContext } from "../store/context.js";
import { checkMessageId, checkSessionId } from "./check-ids.js";
import { readShownCopies } from "./display/shown-copies.js";
import { guardSize, sizeLimit } from "./limits/size-guard.js";
import { MESSAGE_DECODER } from "./message-decoder.js";
import { MESSAGE_SCOPES } from "./message-page.js";
import type { MessageIterateOptions, MessagePage, MessagePageOptions, MessageScope } from "./message-page.js";
import { countSql, SELECT_MESSAGE } from "./message-queries.js";
import type { MessageRow } from "./message-row.js";
import { buildConversation, readConversationRows } from "./read-conversation.js";
import { readMessagePage } from "./read-message-page.js";
import { resumeConversation } from "./resume-conversation.js";
import type { ResumedConversation } from "./resume-conversation.js";
import type { ConversationOptions, Transcript } from "./transcript.js";
import { readAnchored } from "./windows/anchored.js";
import type { AnchoredOptions, AnchoredView } from "./windows/anchored.js";
import { checkWindow, DEFAULT_WINDOW, readAround } from "./windows/around.js";
import type { MessageWindow } from "./windows/around.js";
import { latestMessageId } from "./windows/latest-message.js";
import type { LatestMessageOptions } from "./windows/latest-message.js";
import { recentUserTurns } from "./windows/recent-user-turns.js";
import type { UserTurn, UserTurnOptions } from "./windows/recent-user-turns.js";

const CONVERSATION_OPTIONS: readonly (keyof ConversationOptions)[] = [
  "includeAncestors",
  "includeInactive",
  "repairAlternation",
  "includeRowIds",
];

const ITERATE_OPTIONS: readonly (keyof MessageIterateOptions)[] = ["order", "include"];

const DEFAULT_TURNS = 20;

const SESSION_EXISTS = "SELECT 1 AS known FROM sessions WHERE id = ?";

const HAS_PLATFORM_ID = `
  SELECT EXISTS (SELECT 1 FROM messages WHERE session_id = ? AND platform_message_id = ?) AS found`;

/** What can be read about the messages of sessions, in insertion order everywhere (COR-22). */
export abstract class MessageReader {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
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
    checkMessageId(id);
    const [cells] = this.#context.read((r) => r.tuples(SELECT_MESSAGE, [id]));
    return cells && MESSAGE_DECODER.decode(cells);
  }

  /**
   * How many messages a session has: as many as {@link MessageReader.page} shows in the same scope.
   *
   * @param include - Default `active`.
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  count(sessionId: string, include: MessageScope = "active"): number {
    checkChoice("messages.count: include", include, MESSAGE_SCOPES);
    return this.#readSession(sessionId, (r) => {
      const rows = r.get<{ total: number }>(countSql(include), [sessionId])?.total ?? 0;
      return include === "visible" ? rows - readShownCopies(r, sessionId).left.length : rows;
    });
  }

  /**
   * A page of messages with every field. With `include: "visible"` it is the history to show: what compactions carried
   * over stands once, where it stood first, and a page in either order has the rows that one long page has (COR-28).
   *
   * @throws TypeError for an unknown option, RangeError for an impossible limit. StateError
   * `STATE_E_SESSION_NOT_FOUND`, `STATE_E_BAD_CURSOR`.
   */
  page(sessionId: string, options: MessagePageOptions = {}): MessagePage {
    return this.#readSession(sessionId, (r) => readMessagePage(r, sessionId, options));
  }

  /**
   * Every message of a session, read page by page; rows that are added meanwhile are met when their place is.
   *
   * @throws As {@link MessageReader.page}.
   */
  *iterate(sessionId: string, options: MessageIterateOptions = {}): IterableIterator<MessageRow> {
    checkKnownOptions("messages.iterate", options, ITERATE_OPTIONS);
    let page = this.page(sessionId, options);
    for (;;) {
      yield* page.messages;
      if (page.nextCursor === undefined) return;
      page = this.page(sessionId, { ...options, cursor: page.nextCursor });
    }
  }

  /**
   * What the model sees: active rows in insertion order, without injected context, empty fields left out. Every message
   * is marked as stored, for {@link Messages.saveTranscript} (COR-23).
   *
   * @throws TypeError for an unknown option. StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  conversation(sessionId: string, options: ConversationOptions = {}): Transcript {
    checkKnownOptions("messages.conversation", options, CONVERSATION_OPTIONS);
    return this.#readSession(sessionId, (r) => {
      const steps = options.includeAncestors ? walkAncestors(r, sessionId) : [{ id: sessionId }];
      const sessionIds = steps.map((step) => step.id).reverse();
      return buildConversation(readConversationRows(r, sessionIds, options.includeInactive ?? false), options);
    });
  }

  /**
   * Both views that a resume needs, from one reading: what the model goes on from, and the whole lineage to show. Each
   * equals what {@link MessageReader.conversation} reads by itself.
   *
   * @param limit - Messages to take on; default 20,000 or `HERMES_MAX_RESUME_MESSAGES`, 0 for no limit (COR-35).
   * @throws RangeError for an impossible limit. StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_RESUME_TOO_LARGE`.
   */
  resume(sessionId: string, limit?: number): ResumedConversation {
    const most = sizeLimit("resume", limit);
    return this.#readSession(sessionId, (r) => resumeConversation(r, sessionId, most));
  }

  /**
   * Refuses a session that is too large to resume or to export, without counting further than the limit.
   *
   * @param operation - `resume` counts live messages of the whole lineage, `export` every row of the one session.
   * @param limit - Default 20,000, `HERMES_MAX_RESUME_MESSAGES` or `HERMES_MAX_EXPORT_MESSAGES`; 0 counts nothing.
   * @returns How many messages there are, 0 when nothing was counted (COR-35).
   * @throws RangeError for an impossible limit. StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_RESUME_TOO_LARGE` or
   * `STATE_E_EXPORT_TOO_LARGE`, with `messageCount` and `limit`.
   */
  guardSize(sessionId: string, operation: "resume" | "export", limit?: number): number {
    checkChoice("messages.guardSize: operation", operation, ["resume", "export"]);
    const most = sizeLimit(operation, limit);
    return this.#readSession(sessionId, (r) => guardSize(r, operation, sessionId, most));
  }

  /**
   * A message and its neighbours by id, whatever state they are in.
   *
   * @param window - Neighbours on each side; less than none is none.
   * @param sessionId - When given, the session the message must be of; otherwise the answer is empty.
   * @throws RangeError for an impossible window.
   */
  around(id: number, window: number = DEFAULT_WINDOW, sessionId?: string): MessageWindow {
    checkMessageId(id);
    const size = checkWindow("messages.around: window", window);
    return this.#context.read((r) => readAround(r, id, size, sessionId));
  }

  /**
   * A message with its neighbours, and the first and last messages of its session that the window does not reach.
   *
   * @throws TypeError for an unknown option, RangeError for an impossible size.
   */
  anchored(id: number, options: AnchoredOptions = {}): AnchoredView {
    checkMessageId(id);
    return this.#context.read((r) => readAnchored(r, id, options));
  }

  /**
   * What the user said last, newest first, each as one line. What compactions wrote in the user's name is skipped,
   * however much of it there is (SEA-14).
   *
   * @param limit - How many; default 20.
   * @throws TypeError for an unknown option, RangeError for an impossible limit. StateError
   * `STATE_E_SESSION_NOT_FOUND`.
   */
  recentUserTurns(
    sessionId: string,
    limit: number = DEFAULT_TURNS,
    options: UserTurnOptions = {},
  ): readonly UserTurn[] {
    return this.#readSession(sessionId, (r) => recentUserTurns(r, sessionId, limit, options));
  }

  /**
   * The newest message of a role that the model sees.
   *
   * @returns Its id; undefined when there is none.
   * @throws TypeError for an unknown option, RangeError for an impossible offset. StateError
   * `STATE_E_SESSION_NOT_FOUND`.
   */
  latestMessageId(sessionId: string, options: LatestMessageOptions = {}): number | undefined {
    return this.#readSession(sessionId, (r) => latestMessageId(r, sessionId, options));
  }

  /** Whether a session holds a message with a platform's id, in whatever state. */
  hasPlatformMessageId(sessionId: string, platformMessageId: string): boolean {
    checkSessionId(sessionId);
    checkText("messages.hasPlatformMessageId: the platform's id", platformMessageId);
    const params = [sessionId, platformMessageId];
    return this.#context.read((r) => r.get<{ found: number }>(HAS_PLATFORM_ID, params)?.found === 1);
  }

  #readSession<T>(sessionId: string, read: (r: Reader) => T): T {
    checkSessionId(sessionId);
    return this.#context.read((r) => {
      if (!r.get(SESSION_EXISTS, [sessionId])) throw sessionNotFound(sessionId);
      return read(r);
    });
  }
}
