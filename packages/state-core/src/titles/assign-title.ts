import type { Writer } from "@hermes/state-schema";
import { StateError } from "../errors/state-error.js";
import { segmentsBefore } from "../lineage/walk-ancestors.js";
import { sessionNotFound } from "../sessions/session-errors.js";

/** Who a title comes from: derived from the first message, written by a model, given by the user. */
export type TitleSource = "derived" | "llm" | "user";

/** Every word for the origin of a title; those of branches rank as the user's, for a branch is the user's doing. */
export type TitleOrigin = TitleSource | "branch" | "branch_fallback";

/** The words of {@link TitleOrigin}. */
export const TITLE_ORIGINS: readonly TitleOrigin[] = ["derived", "llm", "user", "branch", "branch_fallback"];

const RANK: Readonly<Record<TitleSource, number>> & Readonly<Record<string, number>> = { derived: 0, llm: 1, user: 2 };

const SELECT_CURRENT = "SELECT title, title_source AS source FROM sessions WHERE id = ?";
const SELECT_HOLDER = "SELECT id FROM sessions WHERE title = ? AND id <> ?";
const UPDATE_SOURCE = "UPDATE sessions SET title_source = ? WHERE id = ? AND title IS NOT NULL";
const UPDATE_TITLE = "UPDATE sessions SET title = ?, title_source = ? WHERE id = ?";

/** The title is taken by a session of another conversation. */
function titleTaken(sessionId: string, title: string, holderId: string): StateError {
  return new StateError(
    "STATE_E_TITLE_TAKEN",
    `Session ${JSON.stringify(holderId)} already has the title ${JSON.stringify(title)}. ` +
      "Take the next free one from titles.next.",
    { sessionId, title, holderId },
  );
}

/** Frees a title for a session: an earlier segment of the same conversation gives it up, anybody else keeps it. */
function claimTitle(w: Writer, sessionId: string, title: string): void {
  const holder = w.get<{ id: string }>(SELECT_HOLDER, [title, sessionId]);
  if (!holder) return;
  if (!segmentsBefore(w, sessionId).includes(holder.id)) throw titleTaken(sessionId, title, holder.id);
  w.run(UPDATE_TITLE, [null, null, holder.id]);
}

/** A title of unknown origin counts as the user's: nothing automatic may replace it. */
function outranks(source: TitleSource, current: { title: string | null; source: string | null }): boolean {
  return current.title === null || (RANK[current.source ?? "user"] ?? RANK.user) < RANK[source];
}

/**
 * Sets the title of a session inside a write transaction. The user's always lands; an automatic one only on an untitled
 * session, or over a title of lower rank (COR-29).
 *
 * @param title - Sanitised; null clears it.
 * @returns Whether it landed.
 * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_TITLE_TAKEN`.
 */
export function assignTitle(w: Writer, sessionId: string, title: string | null, source: TitleSource): boolean {
  const current = w.get<{ title: string | null; source: string | null }>(SELECT_CURRENT, [sessionId]);
  if (!current) throw sessionNotFound(sessionId);
  if (source !== "user" && (title === null || !outranks(source, current))) return false;
  if (title !== null) claimTitle(w, sessionId, title);
  w.run(UPDATE_TITLE, [title, title === null ? null : source, sessionId]);
  return true;
}

/**
 * Changes where the title of a session is said to come from; the text stays.
 *
 * @returns Whether there is a title.
 */
export function setTitleSource(w: Writer, sessionId: string, source: TitleOrigin): boolean {
  return w.run(UPDATE_SOURCE, [source, sessionId]).changes > 0;
}
