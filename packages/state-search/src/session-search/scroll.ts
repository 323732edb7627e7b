import { isHandoff, type MessageRow, type Session } from "@hermes/state-core";
import type { SearchArgs } from "./read-args.js";
import { Refusal } from "./refusal.js";
import type { SearchView } from "./search-view.js";
import type { SessionSearchReply } from "./session-search-reply.js";
import { isShown, showMessage } from "./show-message.js";
import { showSession } from "./show-session.js";
import { WINDOW_CHARACTERS } from "./shown-text.js";

/** The answer to a session that is not there, and to one the caller may not know of. */
export function unknownSession(sessionId: string): Refusal {
  return new Refusal(`There is no session ${JSON.stringify(sessionId.slice(0, 200))}. Search for it with a query.`);
}

interface Place {
  readonly session: Session;
  readonly anchor: MessageRow;
  readonly warning: string | undefined;
}

/** Where the anchor stands: in the session, or in another one of the same tree. */
function placeOf(view: SearchView, sessionId: string, anchorId: number): Place {
  const asked = view.find(sessionId);
  if (!asked) throw unknownSession(sessionId);
  const anchor = view.store.messages.find(anchorId);
  const foreign = anchor && anchor.sessionId !== sessionId;
  const related = anchor && view.guard.rootOf(anchor.sessionId) === view.guard.rootOf(sessionId);
  const session = foreign ? view.find(anchor.sessionId) : asked;
  if (!anchor || !related || !session || anchor.displayKind === "hidden") {
    throw new Refusal(`Message ${String(anchorId)} is not in this session. Use an id that a search returned.`);
  }
  const warning = foreign
    ? `Message ${String(anchorId)} is in session ${session.id} of the same conversation, which is shown instead.`
    : undefined;
  return { session, anchor, warning };
}

function checkLeft(view: SearchView, { session, anchor }: Place): void {
  if (view.guard.leftContext(session.id, anchor)) return;
  throw new Refusal(
    anchor.active === false
      ? `Message ${String(anchor.id)} was taken back in this conversation. Search for something else.`
      : `Message ${String(anchor.id)} is already in your active context. Scroll back there instead.`,
  );
}

/** Shows the messages around one message. */
export function scroll(view: SearchView, args: SearchArgs, sessionId: string, anchorId: number): SessionSearchReply {
  const place = placeOf(view, sessionId, anchorId);
  checkLeft(view, place);
  const { session, warning } = place;
  const { window } = view.store.messages.around(anchorId, args.window, session.id);
  const rows = window.filter((row) => row.id === anchorId || isShown(row));
  return {
    success: true,
    mode: "scroll",
    session_id: session.id,
    around_message_id: anchorId,
    session_meta: showSession(session, view.guard.rootOf(session.id)),
    window: args.window,
    messages: rows.map((row) => ({
      ...showMessage(row, WINDOW_CHARACTERS, anchorId),
      ...(isHandoff(row) && { compaction_summary: true }),
    })),
    messages_before: rows.filter((row) => row.id < anchorId).length,
    messages_after: rows.filter((row) => row.id > anchorId).length,
    link: view.link(session.id),
    ...(warning !== undefined && { warning }),
  };
}
