import type { MessageRow } from "@hermes/state-core";
import { isShown } from "./show-message.js";
import { HIDDEN_SOURCES, type SearchView } from "./search-view.js";

/** Something a discovery found: a session, and the message that shows why. */
export interface Found {
  readonly sessionId: string;
  readonly messageId: number | undefined;
  readonly role: string;
  readonly snippet: string;
}

/** Messages that are looked at for the first one to show. */
const EARLY = 20;

/**
 * The session whose whole title the query is, quotes and backticks around it aside; of a numbered title the latest. A
 * hidden, live or forbidden session is not found by its title either.
 */
export function titleMatch(view: SearchView, query: string): Found | undefined {
  const title = query.replace(/^[\s"'`]+|[\s"'`]+$/gu, "");
  if (title === "") return undefined;
  const id = view.store.titles.resolve(title);
  const session = id === undefined ? undefined : view.find(id);
  if (!session || HIDDEN_SOURCES.includes(session.source ?? "")) return undefined;
  if (!view.guard.hasLeft(session.id)) return undefined;
  const { messages } = view.store.messages.page(session.id, { include: "visible", limit: EARLY });
  const spoken = (row: MessageRow): boolean => isShown(row) && (row.role === "user" || row.role === "assistant");
  return {
    sessionId: session.id,
    messageId: (messages.find(spoken) ?? messages.find(isShown))?.id,
    role: "session_title",
    snippet: session.title ?? "",
  };
}
