import type { Writer } from "@hermes/state-schema";
import { checkChoice } from "../codec/check-choice.js";
import { checkText } from "../codec/check-text.js";
import { momentOf } from "../codec/seconds.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import type { StoreContext } from "../store/context.js";
import { assignTitle } from "../titles/assign-title.js";
import { sanitizeTitle } from "../titles/sanitize-title.js";
import { encodeSession } from "./encode-session.js";
import type { EncodedSession } from "./encode-session.js";
import { RESET_END_REASONS } from "./end-reasons.js";
import { endSession, promoteSession } from "./end-session.js";
import { unarchiveRecoverable } from "./flags/archive-state.js";
import { markRead, SESSION_FLAGS, setFlag } from "./flags/set-flag.js";
import type { SessionFlag } from "./flags/set-flag.js";
import { checkFilter, checkListOptions } from "./list/check-filter.js";
import { countSessions, countSessionsBySource } from "./list/count-sessions.js";
import { listSessions } from "./list/list-sessions.js";
import { NewestMessages } from "./list/newest-messages.js";
import type { SessionFilter, SessionIterateOptions, SessionListOptions } from "./list/session-filter.js";
import type { SessionPage, SessionSummary } from "./list/session-summary.js";
import { profileOfPath } from "./profile-of-path.js";
import { readSession } from "./read-session.js";
import { reopenSession } from "./reopen-session.js";
import { resolveSession } from "./resolve-session.js";
import type { SessionResolution } from "./resolve-session.js";
import { ensureSession, insertSession } from "./save-session.js";
import { sessionNotFound } from "./session-errors.js";
import type { SessionFields } from "./session-fields.js";
import { newSessionId } from "./session-id.js";
import { SessionMetadata } from "./session-metadata.js";
import type { Session } from "./session-row.js";

/** The sessions of a store: make, find, list, end, change (COR-20, COR-30, COR-31). */
export class Sessions extends SessionMetadata {
  readonly #context: StoreContext;
  readonly #newest: NewestMessages;

  constructor(context: StoreContext) {
    super(context);
    this.#context = context;
    this.#newest = new NewestMessages(context.clock);
  }

  /**
   * Makes a session. What it lacks it inherits: place and profile from any parent, who talks only from a parent that a
   * compaction closed.
   *
   * @example
   * ```ts
   * const session = store.sessions.create({ id: "s1", source: "cli", cwd: "/work" });
   * ```
   * @throws TypeError for an unknown key or a wrong type. StateError `STATE_E_SESSION_EXISTS`,
   * `STATE_E_PARENT_NOT_FOUND`, `STATE_E_BAD_TIMESTAMP`, `STATE_E_TITLE_TAKEN`, `STATE_E_TITLE_TOO_LONG`.
   */
  create(fields: SessionFields): Session {
    return this.#save("create a session", fields, (w, session, profile) => {
      insertSession(w, session, profile);
      return true;
    });
  }

  /**
   * Makes a session, or fills the fields an existing one lacks: the first writer of a field wins. A placeholder source
   * `unknown` gives way to a real one.
   *
   * @throws As {@link Sessions.create}, except that the session may exist.
   */
  ensure(fields: SessionFields): Session {
    return this.#save("ensure a session", fields, (w, session, profile) => ensureSession(w, session, profile).untitled);
  }

  /**
   * One session with its prompt.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  get(sessionId: string): Session {
    const session = this.find(sessionId);
    if (!session) throw sessionNotFound(sessionId);
    return session;
  }

  /** One session with its prompt, or undefined. */
  find(sessionId: string): Session | undefined {
    checkText("The session id", sessionId);
    this.#context.settleUsage("read");
    return this.#context.read((r) => readSession(r, sessionId));
  }

  /** Finds what text names: an id, the unique beginning of one, or a title (of `title #N` the newest). */
  resolve(text: string): SessionResolution {
    checkText("sessions.resolve: the text", text);
    return this.#context.read((r) => resolveSession(r, text));
  }

  /**
   * One page of the listing: conversations, each compacted one shown as its tip.
   *
   * @throws TypeError for an unknown option or a wrong type, RangeError for an impossible limit or offset. StateError
   * `STATE_E_BAD_CURSOR`.
   */
  list(options: SessionListOptions = {}): SessionPage {
    this.#context.settleUsage("read");
    return this.#context.read((r) => listSessions(r, options, this.#newest));
  }

  /** Every session of a listing, read page by page; sessions added meanwhile neither repeat nor hide any. */
  *iterate(options: SessionIterateOptions = {}): IterableIterator<SessionSummary> {
    checkListOptions("sessions.iterate", options);
    let cursor: string | undefined;
    do {
      const page: SessionPage = this.list({ limit: 100, ...options, ...(cursor !== undefined && { cursor }) });
      yield* page.sessions;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  /** How many sessions a listing with this filter has in all. */
  count(filter: SessionFilter = {}): number {
    checkFilter("sessions.count", filter);
    return this.#context.read((r) => countSessions(r, filter));
  }

  /** As {@link Sessions.count}, by source, most first. */
  countBySource(filter: SessionFilter = {}): ReadonlyMap<string, number> {
    checkFilter("sessions.countBySource", filter);
    return this.#context.read((r) => countSessionsBySource(r, filter));
  }

  /**
   * Ends a session; if it has ended already, the first reason stands.
   *
   * @param options - `atSeconds`: the moment in REAL seconds, now when absent.
   * @returns Whether this call ended it; an unknown id is no error.
   */
  end(sessionId: string, reason: string, options: { readonly atSeconds?: number } = {}): boolean {
    checkText("sessions.end: reason", reason);
    checkKnownOptions("sessions.end", options, ["atSeconds"]);
    const at = momentOf(this.#context.clock, "sessions.end: atSeconds", options.atSeconds);
    return this.#context.write("end a session", (w) => endSession(w, sessionId, reason, at), "transcript");
  }

  /**
   * Reopens an ended session.
   *
   * @returns Whether it had ended.
   */
  reopen(sessionId: string): boolean {
    return this.#context.write("reopen a session", (w) => reopenSession(w, sessionId), "transcript");
  }

  /**
   * Ends a session by a reset, also one that an accident had ended; any other end stands.
   *
   * @param reason - One of {@link RESET_END_REASONS}.
   * @returns Whether it now counts as reset by this call.
   */
  promoteToReset(sessionId: string, reason = "session_reset"): boolean {
    checkChoice("sessions.promoteToReset: reason", reason, [...RESET_END_REASONS]);
    const at = this.#context.clock.now();
    return this.#context.write("reset a session", (w) => promoteSession(w, sessionId, reason, at), "transcript");
  }

  /**
   * Sets a flag on the whole conversation a session belongs to, branches excepted (COR-30). Pinning also shows what
   * was hidden; setting the archive by hand takes it from the automatic sweep.
   *
   * @returns Whether there is such a session.
   */
  setFlag(sessionId: string, flag: SessionFlag, value: boolean): boolean {
    checkChoice("sessions.setFlag: flag", flag, SESSION_FLAGS);
    if (typeof value !== "boolean") throw new TypeError("sessions.setFlag: value must be true or false.");
    return this.#context.write(`set ${flag}`, (w) => setFlag(w, sessionId, flag, value));
  }

  /**
   * Says up to when the whole conversation a session belongs to was read (COR-30).
   *
   * @param atSeconds - REAL seconds, now when absent; 0 marks it unread.
   * @returns Whether there is such a session.
   */
  markRead(sessionId: string, atSeconds?: number): boolean {
    const at = momentOf(this.#context.clock, "sessions.markRead: atSeconds", atSeconds);
    return this.#context.write("mark a conversation read", (w) => markRead(w, sessionId, at));
  }

  /**
   * Brings an archived conversation back whose last segment an accident had ended, and reopens that; after a
   * deliberate end it stays where it is.
   *
   * @returns Whether it came back.
   */
  unarchiveRecoverable(sessionId: string): boolean {
    return this.#context.write("unarchive a session", (w) => unarchiveRecoverable(w, sessionId), "transcript");
  }

  #save(
    label: string,
    fields: SessionFields,
    save: (w: Writer, session: EncodedSession, profile: string | null) => boolean,
  ): Session {
    const { clock, random, path } = this.#context;
    const session = encodeSession(fields, () => newSessionId(clock, random), clock.now());
    const title = session.title === undefined ? null : sanitizeTitle(session.title);
    const profile = profileOfPath(path);
    return this.#context.write(
      label,
      (w) => {
        const untitled = save(w, session, profile);
        if (untitled && title !== null) assignTitle(w, session.id, title, "user");
        const saved = readSession(w, session.id);
        if (!saved) throw sessionNotFound(session.id);
        return saved;
      },
      "transcript",
    );
  }
}
