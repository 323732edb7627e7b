import { checkKnownOptions, MESSAGE_DECODER, reactionsIn } from "@hermes/state-core";
import type {
  ConversationOptions,
  LatestMessageOptions,
  MessageRow,
  MessageWindow,
  Reaction,
  TranscriptMessage,
} from "@hermes/state-core";
import { callArguments } from "./call-arguments.js";
import { flagOf } from "./flag-of.js";
import { linksPullRequest, PULL_REQUEST_ROWS } from "./pull-requests.js";
import { ofSession } from "./of-session.js";
import { oneArgument } from "./one-argument.js";
import type { Alone } from "./one-argument.js";
import { peerRow } from "./rows.js";
import { SessionDbMessages } from "./session-db-messages.js";

/** Which messages of a session. */
export interface GetMessagesOptions {
  /** Also what was rewound or compacted. */
  readonly includeInactive?: boolean;
  /** At most so many; all when absent. */
  readonly limit?: number | null;
  /** How many to pass over, from the oldest on; from the newest on with `latest`. */
  readonly offset?: number;
  /** The newest ones, still oldest first. */
  readonly latest?: boolean;
  /** Only messages after this one; not together with `latest` or `offset`. */
  readonly afterId?: number | null;
}

const WINDOW = 5;
const GET_NAMES = ["includeInactive", "limit", "offset", "latest", "afterId"] as const;
const CONVERSATION_NAMES = ["includeAncestors", "includeInactive", "repairAlternation", "includeRowIds"] as const;

function select(scope: string, order: "ASC" | "DESC"): string {
  return `SELECT ${MESSAGE_DECODER.select("m")} FROM messages AS m
    WHERE m.session_id = ? AND m.id > ? AND ${scope} ORDER BY m.id ${order} LIMIT ? OFFSET ?`;
}

const LIVE = "COALESCE(m.active, 1) = 1";
const HAS_INACTIVE = "SELECT EXISTS (SELECT 1 FROM messages WHERE session_id = ? AND active = 0) AS found";
const COUNT_ALL = "SELECT COUNT(*) AS total FROM messages";

function countOf(name: string, value: unknown, otherwise: number): number {
  if (value === undefined || value === null) return otherwise;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new RangeError(`SessionDB.getMessages: ${name} is ${JSON.stringify(value)}, no whole number from 0 on.`);
}

/** The reads of messages of the one-object store: an unknown session has none, and is no error. */
export abstract class SessionDbTranscripts extends SessionDbMessages {
  /**
   * Messages of a session with every field, oldest first.
   *
   * @throws RangeError for an impossible number, and for `afterId` together with `latest` or `offset`.
   */
  getMessages(sessionId: string, options?: GetMessagesOptions): MessageRow[];
  getMessages(
    sessionId: string,
    includeInactive?: boolean,
    limit?: number | null,
    offset?: number,
    latest?: boolean,
    afterId?: number | null,
  ): MessageRow[];
  getMessages(sessionId: string, ...args: readonly unknown[]): MessageRow[] {
    const given: GetMessagesOptions = callArguments("SessionDB.getMessages", args, GET_NAMES);
    const includeInactive = flagOf("SessionDB.getMessages: includeInactive", given.includeInactive);
    const latest = flagOf("SessionDB.getMessages: latest", given.latest);
    const limit = countOf("limit", given.limit, -1);
    const offset = countOf("offset", given.offset, 0);
    const afterId = countOf("afterId", given.afterId, -1);
    if (afterId >= 0 && (latest || offset > 0)) {
      throw new RangeError("SessionDB.getMessages: afterId goes with neither latest nor offset.");
    }
    const sql = select(includeInactive ? "1" : LIVE, latest ? "DESC" : "ASC");
    const cells = this.store.read((r) => r.tuples(sql, [sessionId, afterId, limit, offset]));
    const rows = this.rows(cells.map((row) => MESSAGE_DECODER.decode(row)));
    return latest ? rows.reverse() : rows;
  }

  /** A message and its neighbours, whatever state they are in; nothing where it is of another session. */
  getMessagesAround(sessionId: string, aroundMessageId: number, window?: Alone<"window", number>): MessageWindow {
    const size = oneArgument("SessionDB.getMessagesAround", "window", window) ?? WINDOW;
    const found = this.store.messages.around(aroundMessageId, size, sessionId);
    return this.row({ ...found, window: this.rows(found.window) });
  }

  /** Messages of some sessions that link a pull request or a merge request, oldest first. */
  findPrUrlMessages(sessionIds: readonly string[]): MessageRow[] {
    if (!Array.isArray(sessionIds)) throw new TypeError("SessionDB.findPrUrlMessages: the ids must be a list.");
    const cells = this.store.read((r) => r.tuples(PULL_REQUEST_ROWS, [JSON.stringify(sessionIds)]));
    return this.rows(cells.map((row) => MESSAGE_DECODER.decode(row)).filter(linksPullRequest));
  }

  /** What the model sees of a session, without injected context, empty fields left out. */
  getMessagesAsConversation(sessionId: string, options?: ConversationOptions): TranscriptMessage[];
  getMessagesAsConversation(
    sessionId: string,
    includeAncestors?: boolean,
    includeInactive?: boolean,
    repairAlternation?: boolean,
    includeRowIds?: boolean,
  ): TranscriptMessage[];
  getMessagesAsConversation(sessionId: string, ...args: readonly unknown[]): TranscriptMessage[] {
    const what = "SessionDB.getMessagesAsConversation";
    const options = callArguments(what, args, CONVERSATION_NAMES);
    const flags = CONVERSATION_NAMES.map((name) => [name, flagOf(`${what}: ${name}`, options[name])]);
    return this.#conversation(sessionId, Object.fromEntries(flags) as ConversationOptions);
  }

  /** What the model goes on from, and what the user sees of the whole lineage, from one reading. */
  getResumeConversations(sessionId: string): [model: TranscriptMessage[], display: TranscriptMessage[]] {
    const found = ofSession(() => this.store.messages.resume(sessionId, 0), undefined);
    return [this.#spelled(found?.model.messages ?? []), this.#spelled(found?.display.messages ?? [])];
  }

  /** What the user sees above the messages of a session: those of every session above it, without repetitions. */
  getAncestorDisplayPrefix(sessionId: string): TranscriptMessage[] {
    const parent = this.store.sessions.find(sessionId)?.parentSessionId;
    return parent ? this.#conversation(parent, { includeAncestors: true }) : [];
  }

  /** How many messages a resume loads: live ones, of the session and of every session above it. */
  getResumeMessageCount(sessionId: string): number {
    return this.assertResumeSafe(sessionId, Number.MAX_SAFE_INTEGER - 1);
  }

  /**
   * Refuses a session that is too large to resume.
   *
   * @param maxMessages - Default: what is configured, else 20,000; 0 counts nothing.
   * @returns How many messages there are; 0 when none were counted.
   * @throws RangeError for an impossible number. StateError `STATE_E_RESUME_TOO_LARGE`.
   */
  assertResumeSafe(sessionId: string, maxMessages?: Alone<"maxMessages", number | null> | null): number {
    const most = oneArgument("SessionDB.assertResumeSafe", "maxMessages", maxMessages);
    return ofSession(() => this.store.messages.guardSize(sessionId, "resume", most), 0);
  }

  /**
   * The same for an export, which takes every row of the one session.
   *
   * @throws RangeError for an impossible number. StateError `STATE_E_EXPORT_TOO_LARGE`.
   */
  assertExportSafe(sessionId: string, maxMessages?: Alone<"maxMessages", number | null> | null): number {
    const most = oneArgument("SessionDB.assertExportSafe", "maxMessages", maxMessages);
    return ofSession(() => this.store.messages.guardSize(sessionId, "export", most), 0);
  }

  /** How many messages a session has in whatever state; all of the store when none is named. */
  messageCount(sessionId?: Alone<"sessionId", string | null> | null): number {
    const id = oneArgument("SessionDB.messageCount", "sessionId", sessionId);
    if (id) return ofSession(() => this.store.messages.count(id, "all"), 0);
    return this.store.read((r) => r.get<{ total: number }>(COUNT_ALL)?.total ?? 0);
  }

  /** Whether a session holds a message with a platform's id, in whatever state. */
  hasPlatformMessageId(sessionId: string, platformMessageId: string): boolean {
    return this.store.messages.hasPlatformMessageId(sessionId, platformMessageId);
  }

  /** Whether a session keeps messages that the model does not see any more. */
  hasArchivedMessages(sessionId: string): boolean {
    return this.store.read((r) => r.get<{ found: number }>(HAS_INACTIVE, [sessionId])?.found === 1);
  }

  /** The newest message of a role (default: user) that the model sees; null when there is none. */
  latestMessageRowId(sessionId: string, options: LatestMessageOptions = {}): number | null {
    checkKnownOptions("SessionDB.latestMessageRowId", options, ["role", "offset", "requireText"]);
    return ofSession(() => this.store.messages.latestMessageId(sessionId, options), undefined) ?? null;
  }

  /** The newest message of the user that the model sees; null when there is none. */
  latestUserMessageRowId(sessionId: string): number | null {
    return this.latestMessageRowId(sessionId);
  }

  /** The role of a message of a session; null when the session has no such message. */
  getMessageRole(sessionId: string, rowId: number): string | null {
    return this.#messageOf(sessionId, rowId)?.role ?? null;
  }

  /** All reactions to a message; none where the session has no such message. */
  getMessageReactions(sessionId: string, messageRowId: number): Reaction[] {
    return [...reactionsIn(this.#messageOf(sessionId, messageRowId)?.displayMetadata)];
  }

  #messageOf(sessionId: string, id: number): MessageRow | undefined {
    const row = this.store.messages.find(id);
    return row?.sessionId === sessionId ? row : undefined;
  }

  #conversation(sessionId: string, options: ConversationOptions): TranscriptMessage[] {
    return this.#spelled(ofSession(() => this.store.messages.conversation(sessionId, options).messages, []));
  }

  /**
   * The old program told stored messages by a flag of its own, and rows by a key that no transport sends; the id that a
   * platform gave a message had a shorter name there than in a row.
   */
  #spelled(messages: readonly TranscriptMessage[]): TranscriptMessage[] {
    if (!this.peerRows) return [...messages];
    return messages.map(({ id, platformMessageId, ...message }) => {
      const ids = {
        ...(platformMessageId !== undefined && { message_id: platformMessageId }),
        ...(id !== undefined && { _row_id: id }),
      };
      return { ...peerRow(message), ...ids, _db_persisted: true } as unknown as TranscriptMessage;
    });
  }
}
