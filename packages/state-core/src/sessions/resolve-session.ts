import type { Reader } from "@hermes/state-schema";
import { likeEscape } from "../codec/like-escape.js";
import { findByTitle } from "../titles/numbered-title.js";

/** What a piece of text names. */
export type SessionResolution =
  | { readonly kind: "session"; readonly sessionId: string; readonly via: "id" | "prefix" | "title" }
  | { readonly kind: "ambiguous"; readonly candidates: readonly string[] }
  | { readonly kind: "none" };

/** How many candidates an ambiguous answer lists. */
const SHOWN = 10;

const SELECT_EXACT = "SELECT id FROM sessions WHERE id = ?";
const SELECT_PREFIX = `SELECT id FROM sessions WHERE id LIKE ? ESCAPE '\\' ORDER BY id LIMIT ${String(SHOWN)}`;

function byPrefix(r: Reader, text: string): readonly string[] {
  // LIKE ends at a NUL, so text with one would match what begins like its first half.
  if (text === "" || text.includes("\0")) return [];
  return r.all<{ id: string }>(SELECT_PREFIX, [`${likeEscape(text)}%`]).map((row) => row.id);
}

/** Finds the session that an id, a unique beginning of an id, or a title names, in this order. */
export function resolveSession(r: Reader, text: string): SessionResolution {
  const exact = r.get<{ id: string }>(SELECT_EXACT, [text]);
  if (exact) return { kind: "session", sessionId: exact.id, via: "id" };
  const candidates = byPrefix(r, text);
  const [only, ...others] = candidates;
  if (only !== undefined && others.length === 0) return { kind: "session", sessionId: only, via: "prefix" };
  const titled = findByTitle(r, text);
  if (titled !== undefined) return { kind: "session", sessionId: titled, via: "title" };
  return candidates.length > 0 ? { kind: "ambiguous", candidates } : { kind: "none" };
}
