import { checkKnownOptions, sanitizeTitle } from "@hermes/state-core";
import type { Session, TitleOrigin, TitleSource } from "@hermes/state-core";
import { ifSessionExists } from "./quiet.js";
import { SessionDbSessions } from "./session-db-sessions.js";

const EXACTLY = "SELECT id FROM sessions WHERE title = ? ORDER BY started_at DESC LIMIT 1";

function checkTitle(method: string, title: unknown): void {
  if (typeof title === "string") return;
  throw new TypeError(`SessionDB.${method}: a title must be a string, not ${typeof title}.`);
}

/** The titles and flags of the one-object store. */
export abstract class SessionDbTitles extends SessionDbSessions {
  /** The title as it would be stored; null for an empty one. @throws StateError `STATE_E_TITLE_TOO_LONG`. */
  sanitizeTitle(title: string | null): string | null {
    return title === null ? null : sanitizeTitle(title);
  }

  /** As {@link SessionDbTitles.sanitizeTitle}; the old store had it on the class. */
  static sanitizeTitle(title: string | null): string | null {
    return title === null ? null : sanitizeTitle(title);
  }

  /**
   * Sets the title the user chose; an empty one clears. @returns Whether there is such a session.
   *
   * @throws StateError `STATE_E_TITLE_TAKEN`, `STATE_E_TITLE_TOO_LONG`.
   */
  setSessionTitle(sessionId: string, title: string | null): boolean {
    if ((title as unknown) === undefined)
      throw new TypeError("SessionDB.setSessionTitle: give a title, or null to clear it.");
    return ifSessionExists(() => this.store.titles.set(sessionId, title ?? ""));
  }

  /** Sets an automatic title where none of the same rank stands. @returns Whether it landed. */
  setAutoTitle(
    sessionId: string,
    title: string,
    options: { readonly source?: Exclude<TitleSource, "user"> } = {},
  ): boolean {
    checkKnownOptions("SessionDB.setAutoTitle", options, ["source"]);
    let landed = false;
    ifSessionExists(() => {
      landed = this.store.titles.setAuto(sessionId, title, options.source ?? "llm");
    });
    return landed;
  }

  /** Sets an automatic title where there is none. @returns Whether it landed. */
  setAutoTitleIfEmpty(sessionId: string, title: string): boolean {
    return this.getSessionTitle(sessionId) === null && this.setAutoTitle(sessionId, title, { source: "derived" });
  }

  /** The title, or null. */
  getSessionTitle(sessionId: string): string | null {
    return this.store.sessions.find(sessionId)?.title ?? null;
  }

  /** Where the title comes from; null where there is none. A title that does not say is the user's. */
  getSessionTitleSource(sessionId: string): string | null {
    const session = this.store.sessions.find(sessionId);
    if (!session?.title) return null;
    return session.titleSource ?? "user";
  }

  /** Says where the title comes from, and keeps it. */
  setSessionTitleSource(sessionId: string, source: TitleOrigin): boolean {
    return this.store.titles.setSource(sessionId, source);
  }

  /** The session with exactly this title, or null. */
  getSessionByTitle(title: string): Session | null {
    checkTitle("getSessionByTitle", title);
    // A title `name` is its own, whatever `name #2` there is: that one is what the name means, not what is called so.
    const found = this.store.read((r) => r.get<{ id: string }>(EXACTLY, [title]));
    return found ? this.getSession(found.id) : null;
  }

  /** The id that a title means: the newest of `title #N`, else the exact one; null for none. */
  resolveSessionByTitle(title: string): string | null {
    checkTitle("resolveSessionByTitle", title);
    return this.store.titles.resolve(title) ?? null;
  }

  /** A title nobody has yet: the base, or the base with the next number. */
  getNextTitleInLineage(baseTitle: string): string {
    return this.store.titles.next(baseTitle);
  }

  /** Archives the whole conversation, or takes it back. @returns Whether there is such a session. */
  setSessionArchived(sessionId: string, archived: boolean): boolean {
    return this.store.sessions.setFlag(sessionId, "archived", archived);
  }

  /** Pins the whole conversation, or takes it back. */
  setSessionPinned(sessionId: string, pinned: boolean): boolean {
    return this.store.sessions.setFlag(sessionId, "pinned", pinned);
  }

  /** Marks the whole conversation as read now, or as unread. */
  setSessionRead(sessionId: string, read: boolean): boolean {
    if (typeof read !== "boolean") throw new TypeError("SessionDB.setSessionRead: read must be true or false.");
    return this.store.sessions.markRead(sessionId, read ? this.store.clock.now() : 0);
  }

  /** Whether a row of a listing was active since it was read; one that nobody tracks counts as read. */
  sessionUnread(sessionRow: Readonly<Record<string, unknown>> | null | undefined): boolean {
    const moment = (...keys: readonly string[]): number | undefined => {
      const value = keys.map((key) => sessionRow?.[key]).find((cell) => typeof cell === "number");
      return typeof value === "number" ? value : undefined;
    };
    const readAt = moment("lastReadAtSeconds", "last_read_at");
    const activeAt = moment("lastActiveSeconds", "last_active", "lastActivityAtSeconds", "last_activity_at");
    return readAt !== undefined && activeAt !== undefined && activeAt > readAt;
  }
}
