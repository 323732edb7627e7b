import { isoTime, type JsonObject } from "@hermes/state-core";
import type { SearchArgs } from "./read-args.js";
import { HIDDEN_SOURCES, type SearchView } from "./search-view.js";
import type { SessionSearchReply } from "./session-search-reply.js";
import { shownLine } from "./shown-text.js";

const MOST_SESSIONS = 30_000;

/** Shows the most recently active conversations, other than the one the agent is in. */
export function browse(view: SearchView, args: SearchArgs): SessionSearchReply {
  const results: JsonObject[] = [];
  let seen = 0;
  const limit = view.scope ? 1_000 : args.limit + 15;
  for (const session of view.store.sessions.iterate({ order: "active", limit, excludeSources: HIDDEN_SOURCES })) {
    if (results.length >= args.limit || ++seen > MOST_SESSIONS) break;
    if (!view.allows(session.id) || view.guard.isCurrent(session.id)) continue;
    results.push({
      session_id: session.id,
      link: view.link(session.id),
      title: shownLine(session.title),
      source: shownLine(session.source),
      started_at: isoTime(session.startedAtSeconds) ?? null,
      last_active: isoTime(session.lastActiveSeconds) ?? null,
      message_count: session.messageCount ?? 0,
      preview: shownLine(session.preview),
    });
  }
  return {
    success: true,
    mode: "browse",
    results,
    count: results.length,
    ...(results.length === 0 && { message: "No earlier sessions." }),
  };
}
