import { checkChoice } from "../codec/check-choice.js";
import { sessionNotFound } from "../sessions/session-errors.js";
import type { StoreContext } from "../store/context.js";
import { assignTitle, setTitleSource, TITLE_ORIGINS } from "./assign-title.js";
import type { TitleOrigin, TitleSource } from "./assign-title.js";
import { findByTitle, nextTitle } from "./numbered-title.js";
import { sanitizeTitle } from "./sanitize-title.js";

/** The title of a session and where it came from. */
export interface TitleOfSession {
  readonly title: string | null;
  /** `derived`, `llm`, `user`, or a word of a newer writer; null counts as `user` on a titled session. */
  readonly source: string | null;
}

const SELECT_TITLE = "SELECT title, title_source AS source FROM sessions WHERE id = ?";

/** Titles: unique over the whole store, except that a conversation keeps its title across compactions (COR-29). */
export class Titles {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /**
   * Sets the title the user chose; it always lands. An empty one clears.
   *
   * @returns The title as stored.
   * @throws StateError `STATE_E_TITLE_TOO_LONG`, `STATE_E_TITLE_TAKEN` naming the holder, `STATE_E_SESSION_NOT_FOUND`.
   */
  set(sessionId: string, title: string): string | null {
    const clean = sanitizeTitle(title);
    this.#context.write("set a title", (w) => assignTitle(w, sessionId, clean, "user"));
    return clean;
  }

  /**
   * Sets a title that was made automatically; it lands only on an untitled session or over a title of lower rank.
   *
   * @returns Whether it landed.
   * @throws As {@link Titles.set}.
   */
  setAuto(sessionId: string, title: string, source: Exclude<TitleSource, "user">): boolean {
    checkChoice("titles.setAuto: source", source, ["derived", "llm"]);
    const clean = sanitizeTitle(title);
    return this.#context.write("set an automatic title", (w) => assignTitle(w, sessionId, clean, source));
  }

  /**
   * Says where the title of a session comes from, and keeps the title: a title that was made automatically can be given
   * to the user, so that nothing automatic replaces it.
   *
   * @returns Whether there is a title.
   */
  setSource(sessionId: string, source: TitleOrigin): boolean {
    checkChoice("titles.setSource: source", source, TITLE_ORIGINS);
    return this.#context.write("set the origin of a title", (w) => setTitleSource(w, sessionId, source));
  }

  /**
   * The title of a session.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  bySession(sessionId: string): TitleOfSession {
    const row = this.#context.read((r) => r.get<TitleOfSession>(SELECT_TITLE, [sessionId]));
    if (!row) throw sessionNotFound(sessionId);
    return row;
  }

  /** The session a title means: the newest of `title #N`, else the one with exactly this title; undefined for none. */
  resolve(title: string): string | undefined {
    return this.#context.read((r) => findByTitle(r, title));
  }

  /** A title nobody has yet: the base itself, or the base with the next number. */
  next(base: string): string {
    const clean = sanitizeTitle(base);
    if (clean === null) throw new TypeError("titles.next: the base must not be empty.");
    return this.#context.read((r) => nextTitle(r, clean));
  }
}
