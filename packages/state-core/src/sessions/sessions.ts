import type { Writer } from "@hermes/state-schema";
import { checkChoice } from "../codec/check-choice.js";
import { isJsonObject } from "../codec/json-object.js";
import type { JsonObject } from "../codec/json-value.js";
import { checkSeconds } from "../codec/seconds.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import type { StoreContext } from "../store/context.js";
import { assignTitle } from "../titles/assign-title.js";
import { sanitizeTitle } from "../titles/sanitize-title.js";
import { encodeSession } from "./encode-session.js";
import type { EncodedSession } from "./encode-session.js";
import { RESET_END_REASONS } from "./end-reasons.js";
import { endSession, promoteSession } from "./end-session.js";
import { checkFilter, checkListOptions } from "./list/check-filter.js";
import { countSessions, countSessionsBySource } from "./list/count-sessions.js";
import { listSessions } from "./list/list-sessions.js";
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
import type { Session } from "./session-row.js";
import { ACTIVITY_PROVENANCES, touchSession } from "./touch-session.js";
import type { SessionActivity } from "./touch-session.js";
import { moveSession, patchConfig, switchModel } from "./update-session.js";
import type { GitPlace } from "./update-session.js";

function checkText(what: string, value: unknown): void {
  if (typeof value !== "string" || value === "") throw new TypeError(`${what} must be a non-empty string.`);
}

/** The sessions of a store: make, find, list, end, change (COR-20, COR-30, COR-31). */
export class Sessions {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
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
    return this.#context.read((r) => listSessions(r, options));
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
    const at = this.#moment("sessions.end: atSeconds", options.atSeconds);
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
   * Merges a patch into a session's model config; a null value deletes its key.
   *
   * @returns The config after the merge.
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  updateConfig(sessionId: string, patch: JsonObject): JsonObject {
    if (!isJsonObject(patch)) throw new TypeError("sessions.updateConfig: the patch must be an object.");
    return this.#context.write("update a session's config", (w) => patchConfig(w, sessionId, patch));
  }

  /**
   * Switches the model of a session; the prompt made for the old one is dropped.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  updateModel(sessionId: string, model: string): void {
    checkText("sessions.updateModel: model", model);
    this.#context.write("switch a session's model", (w) => switchModel(w, sessionId, model));
  }

  /**
   * Moves a session to another folder.
   *
   * @param cwd - Absolute path.
   * @returns The generation of its place; an answer about an earlier one is stale.
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  updateCwd(sessionId: string, cwd: string, git: GitPlace = {}): number {
    checkText("sessions.updateCwd: cwd", cwd);
    checkKnownOptions("sessions.updateCwd", git, ["gitBranch", "gitRepoRoot"]);
    return this.#context.write("move a session", (w) => moveSession(w, sessionId, cwd, git));
  }

  /**
   * Records a sign of life; it may be dropped when the file stays busy for half a second. Not more than once a minute.
   *
   * @returns Whether it was recorded; false for an unknown session and for an earlier moment than the stored one.
   */
  touch(sessionId: string, activity: SessionActivity = {}): boolean {
    checkKnownOptions("sessions.touch", activity, ["atSeconds", "description", "provenance"]);
    if (activity.provenance !== undefined) {
      checkChoice("sessions.touch: provenance", activity.provenance, ACTIVITY_PROVENANCES);
    }
    const at = this.#moment("sessions.touch: atSeconds", activity.atSeconds);
    return this.#context.write("record activity", (w) => touchSession(w, sessionId, at, activity), "activity");
  }

  #moment(what: string, seconds: number | undefined): number {
    return seconds === undefined ? this.#context.clock.now() : checkSeconds(what, seconds);
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
