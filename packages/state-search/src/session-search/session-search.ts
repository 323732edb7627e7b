import { browse } from "./browse.js";
import { callerScope, isConfined } from "./caller-scope.js";
import { discover } from "./discover.js";
import { readAnywhere } from "./read-anywhere.js";
import { readArgs, type SearchArgs, type SessionSearchArgs } from "./read-args.js";
import { readSession } from "./read-session.js";
import { Refusal } from "./refusal.js";
import { scroll, unknownSession } from "./scroll.js";
import { SearchView } from "./search-view.js";
import { checkHost, type SessionSearchHost } from "./session-search-host.js";
import type { SessionSearchReply } from "./session-search-reply.js";
import type { SessionStore } from "./session-store.js";
import { shownText } from "./shown-text.js";
import { withProfile } from "./with-profile.js";

const ERROR_CHARACTERS = 500;

function failure(error: string, guidance?: string): SessionSearchReply {
  const shown = shownText(error, ERROR_CHARACTERS).text;
  return { success: false, error: shown, ...(guidance !== undefined && { guidance }) };
}

/** Everything but reading a session that another profile may have. */
function searchView(view: SearchView, args: SearchArgs): SessionSearchReply {
  const { sessionId, anchorId, query } = args;
  if (sessionId !== undefined && anchorId !== undefined) return scroll(view, args, sessionId, anchorId);
  if (sessionId !== undefined) {
    const reply = readSession(view, sessionId);
    if (!reply) throw unknownSession(sessionId);
    return reply;
  }
  return query === "" ? browse(view, args) : discover(view, args);
}

function search(store: SessionStore, given: SessionSearchArgs, host: SessionSearchHost): SessionSearchReply {
  const args = readArgs(given, host);
  const confined = isConfined(args, host);
  const { profile, sessionId, anchorId } = args;
  if (confined && profile !== undefined) throw new Refusal('Another profile can be searched with scope: "all" only.');
  const scope = confined ? callerScope(store, host) : undefined;
  const own = new SearchView(store, { profile: host.profile, currentSessionId: host.currentSessionId, scope });
  if (profile !== undefined) return withProfile(host, own, profile, (view) => searchView(view, args));
  if (sessionId !== undefined && anchorId === undefined) return readAnywhere(host, own, sessionId, !confined);
  return searchView(own, args);
}

/**
 * The search an agent calls: finds sessions, scrolls around a message, reads a session, or lists recent ones. The mode
 * follows from the arguments: `session_id` and `around_message_id` scroll, `session_id` reads, `query` discovers,
 * nothing browses. It never fails a turn: whatever goes wrong is an answer (SEA-15).
 *
 * @param store - Undefined when none could be opened.
 * @param args - What the agent asked for; it may be anything.
 * @param host - What the agent cannot choose: where it is, who it talks to, how other profiles are opened.
 * @returns A plain JSON object.
 * @throws TypeError for an unknown key of `host`, and for nothing else.
 *
 * @example
 * ```ts
 * const { results } = sessionSearch(store, { query: "deploy* NOT docker" }, { currentSessionId: "s1" });
 * ```
 */
export function sessionSearch(
  store: SessionStore | undefined,
  args: SessionSearchArgs = {},
  host: SessionSearchHost = {},
): SessionSearchReply {
  checkHost(host);
  if (!store) return failure("There is no session store.", "Go on without old sessions; do not search again.");
  try {
    return search(store, args, host);
  } catch (error) {
    if (error instanceof Refusal) return failure(error.message);
    const text = error instanceof Error ? error.message : String(error);
    return failure(`Search failed: ${text}`, "Go on without old sessions, or try again later.");
  }
}
