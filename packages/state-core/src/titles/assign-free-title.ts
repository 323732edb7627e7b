import type { Writer } from "@hermes/state-schema";
import { assignTitle } from "./assign-title.js";
import type { TitleSource } from "./assign-title.js";
import { nextTitle } from "./numbered-title.js";

const IS_TAKEN = "SELECT 1 AS taken FROM sessions WHERE title = ? AND id <> ?";

/**
 * Sets the title of a session that has none, numbered where another session has it (COR-29).
 *
 * @param title - Sanitised.
 * @returns The title it got.
 * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
 */
export function assignFreeTitle(w: Writer, sessionId: string, title: string, source: TitleSource): string {
  const free = w.get(IS_TAKEN, [title, sessionId]) ? nextTitle(w, title) : title;
  assignTitle(w, sessionId, free, source);
  return free;
}
