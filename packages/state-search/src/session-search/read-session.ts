import type { MessageRow } from "@hermes/state-core";
import type { SearchView } from "./search-view.js";
import type { SessionSearchReply } from "./session-search-reply.js";
import { isShown, showMessage } from "./show-message.js";
import { showSession } from "./show-session.js";
import { WINDOW_CHARACTERS } from "./shown-text.js";

const HEAD = 20;
const TAIL = 10;

/** Shows a session: all of it, or how it begins and ends; undefined when the caller can see no such session. */
export function readSession(view: SearchView, sessionId: string): SessionSearchReply | undefined {
  const session = view.find(sessionId);
  if (!session) return undefined;
  const { messages } = view.store;
  const first = messages.page(sessionId, { include: "visible", limit: HEAD + TAIL });
  const truncated = first.nextCursor !== undefined;
  const tail = truncated ? messages.page(sessionId, { include: "visible", order: "newest", limit: TAIL }).messages : [];
  const rows: readonly MessageRow[] = truncated
    ? [...first.messages.slice(0, HEAD), ...[...tail].reverse()]
    : first.messages;
  const between = rows[HEAD - 1]?.id;
  return {
    success: true,
    mode: "read",
    session_id: sessionId,
    session_meta: showSession(session, view.guard.rootOf(sessionId)),
    message_count: truncated ? messages.count(sessionId, "visible") : rows.length,
    messages: rows.filter(isShown).map((row) => showMessage(row, WINDOW_CHARACTERS)),
    truncated,
    link: view.link(sessionId),
    ...(truncated && {
      hint: `Only the first ${String(HEAD)} and the last ${String(TAIL)} messages are shown. Pass session_id with ` +
        `around_message_id (after ${String(between)}) to see what is between.`,
    }),
  };
}
