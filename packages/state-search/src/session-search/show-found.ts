import { isHandoff, isoTime, type AnchoredView, type JsonObject } from "@hermes/state-core";
import { BOOKEND_CHARACTERS, shownLine, shownText, WINDOW_CHARACTERS } from "./shown-text.js";
import type { SearchView } from "./search-view.js";
import { isShown, showMessage } from "./show-message.js";
import type { Found } from "./title-match.js";

const WINDOW = 5;
const BOOKEND = 3;
/** A snippet is 200 characters and the marks around its matches. */
const SNIPPET_CHARACTERS = 600;
const NOTHING: AnchoredView = { window: [], messagesBefore: 0, messagesAfter: 0, bookendStart: [], bookendEnd: [] };

/**
 * One result of a discovery.
 *
 * @param full - With neighbours and both ends of the session, instead of the one message.
 */
export function showFound(view: SearchView, found: Found, full: boolean): JsonObject {
  const { sessionId, messageId, role, snippet } = found;
  const session = view.store.sessions.find(sessionId);
  const sizes = full ? { window: WINDOW, bookend: BOOKEND } : { window: 0, bookend: 0 };
  const around = messageId === undefined ? NOTHING : view.store.messages.anchored(messageId, { ...sizes, sessionId });
  const messages = around.window.filter(isShown);
  const ends = (rows: AnchoredView["bookendEnd"]): JsonObject[] =>
    rows.filter((row) => isShown(row) && !isHandoff(row)).map((row) => showMessage(row, BOOKEND_CHARACTERS));
  const rootId = view.guard.rootOf(sessionId);
  const anchor = messages.find((row) => row.id === messageId);
  return {
    session_id: sessionId,
    when: isoTime(anchor?.timestampSeconds) ?? isoTime(session?.startedAtSeconds) ?? null,
    source: shownLine(session?.source),
    model: shownLine(session?.model),
    title: shownLine(session?.title),
    matched_role: role,
    match_message_id: messageId ?? null,
    snippet: shownText(snippet, SNIPPET_CHARACTERS).text,
    bookend_start: ends(around.bookendStart),
    messages: messages.map((row) => showMessage(row, WINDOW_CHARACTERS, messageId)),
    bookend_end: ends(around.bookendEnd),
    messages_before: messages.filter((row) => row.id < (messageId ?? 0)).length,
    messages_after: messages.filter((row) => row.id > (messageId ?? 0)).length,
    link: view.link(sessionId),
    ...(rootId !== sessionId && { parent_session_id: rootId }),
  };
}
