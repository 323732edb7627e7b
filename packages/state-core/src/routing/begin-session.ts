import type { Reader, Writer } from "@hermes/state-schema";
import { mergeModelConfig } from "../codec/model-config.js";
import { FORK_MARKERS } from "../lineage/fork-sql.js";
import { tipOf } from "../lineage/walk-continuations.js";
import type { EncodedSession } from "../sessions/encode-session.js";
import { setFlag } from "../sessions/flags/set-flag.js";
import type { SessionFlag } from "../sessions/flags/set-flag.js";
import { ensureSession, insertSession } from "../sessions/save-session.js";
import { assignFreeTitle } from "../titles/assign-free-title.js";
import { sessionExists } from "./conversation-properties.js";

/** A session to begin, checked and encoded. */
export interface SessionPlan {
  readonly session: EncodedSession;
  /** Sanitised. */
  readonly title: string | null;
  /** In the order they are set. */
  readonly flags: readonly (readonly [SessionFlag, boolean])[];
  /** The profile the store's path stands for. */
  readonly profile: string | null;
}

/** What became of it. */
export interface BegunSession {
  readonly created: boolean;
  /** The title it got, where that is not the one asked for. */
  readonly titleGiven: string | null;
}

/** The last segment of the conversation that came before, if there is one. */
function parentOf(r: Reader, { id, text }: EncodedSession): string | null {
  const wanted = text.parent_session_id;
  if (wanted === null || wanted === id || !sessionExists(r, wanted)) return null;
  return tipOf(r, wanted);
}

/** Under a parent only a compaction makes a continuation; a session of a route says that it began anew. */
function placed(r: Reader, session: EncodedSession): EncodedSession {
  const parent = parentOf(r, session);
  const text = { ...session.text, parent_session_id: parent };
  if (parent === null || FORK_MARKERS.some((marker) => session.config[marker] === parent)) return { ...session, text };
  return { ...session, text, config: mergeModelConfig(session.config, { _reset_from: parent }) };
}

function make(w: Writer, { session, profile, flags }: SessionPlan): { untitled: boolean } {
  insertSession(w, placed(w, session), profile);
  for (const [flag, value] of flags) setFlag(w, session.id, flag, value);
  return { untitled: true };
}

/** Whoever made the row did not know the route: it lacks what the gateway knows, and is no child of anybody. */
function complete(w: Writer, { session, profile }: SessionPlan): { untitled: boolean } {
  return ensureSession(w, { ...session, text: { ...session.text, parent_session_id: null } }, profile);
}

/**
 * Makes the row of a session that a route leads to, with all that was asked for before it existed (GWS-11). A row that
 * exists is completed: the first writer of a field wins, flags and parent stay.
 */
export function beginSession(w: Writer, plan: SessionPlan): BegunSession {
  const { session, title } = plan;
  const created = !sessionExists(w, session.id);
  const { untitled } = created ? make(w, plan) : complete(w, plan);
  if (title === null || !untitled) return { created, titleGiven: null };
  const given = assignFreeTitle(w, session.id, title, "user");
  return { created, titleGiven: given === title ? null : given };
}
