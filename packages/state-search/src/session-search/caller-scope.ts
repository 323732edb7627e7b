import type { Reader } from "@hermes/state-schema";
import type { SearchArgs } from "./read-args.js";
import { Refusal } from "./refusal.js";
import type { SessionSearchHost } from "./session-search-host.js";
import type { SessionStore } from "./session-store.js";

const MOST_SESSIONS = 30_000;
const CONFINED_PLATFORMS: ReadonlySet<string> = new Set(["telegram"]);

/** A relative that says nothing of a key goes with its family; one with another key belongs to somebody else. */
const isOwnSql = (session: string): string =>
  `COALESCE(${session}.session_key, '') IN ('', (SELECT key FROM wanted))`;

/** The sessions of one conversation key and their relatives, but for relatives that belong to another key. */
const SELECT_SCOPE = `
  WITH RECURSIVE wanted (key, platform) AS (VALUES (?, ?)),
  own (id) AS (
    SELECT s.id FROM wanted JOIN sessions AS s ON s.session_key = wanted.key AND s.source = wanted.platform
  ),
  above (id) AS (
    SELECT id FROM own
    UNION
    SELECT parent.id FROM above CROSS JOIN sessions AS self ON self.id = above.id
    CROSS JOIN sessions AS parent ON parent.id = self.parent_session_id
    WHERE ${isOwnSql("parent")}
  ),
  below (id) AS (
    SELECT id FROM own
    UNION
    SELECT child.id FROM below CROSS JOIN sessions AS child ON child.parent_session_id = below.id
    WHERE ${isOwnSql("child")}
  )
  SELECT id FROM above UNION SELECT id FROM below LIMIT ${String(MOST_SESSIONS + 1)}`;

const SELECT_CURRENT = "SELECT source, session_key AS sessionKey FROM sessions WHERE id = ?";

/** True when the caller may see its own conversation only: unless it asks for more, a chat is not all chats. */
export function isConfined(args: Pick<SearchArgs, "scope">, host: SessionSearchHost): boolean {
  if (args.scope !== undefined) return args.scope === "current";
  return CONFINED_PLATFORMS.has(host.caller?.platform.trim().toLowerCase() ?? "");
}

function refuse(why: string): Refusal {
  return new Refusal(`This search is confined to the current conversation, and ${why}. Pass scope: "all" to widen it.`);
}

function readScope(r: Reader, { currentSessionId, caller }: SessionSearchHost): ReadonlySet<string> {
  const platform = caller?.platform.trim().toLowerCase() ?? "";
  const key = caller?.sessionKey ?? "";
  if (currentSessionId === undefined || platform === "" || key === "") throw refuse("it is not known which that is");
  const current = r.get<{ source: string; sessionKey: string | null }>(SELECT_CURRENT, [currentSessionId]);
  if (!current) throw refuse("its session is not stored");
  if (current.source !== platform) throw refuse("its session belongs to another platform");
  if (current.sessionKey !== key) throw refuse("its session belongs to another conversation");
  const ids = r.all<{ id: string }>(SELECT_SCOPE, [key, platform]).map(({ id }) => id);
  if (ids.length > MOST_SESSIONS) throw refuse("it has too many sessions");
  return new Set(ids);
}

/**
 * The sessions a confined caller may see. What is missing, unclear or unreadable is a refusal, never a wider answer.
 *
 * @throws Refusal, and whatever reading the store throws.
 */
export function callerScope(store: SessionStore, host: SessionSearchHost): ReadonlySet<string> {
  return store.read((r) => readScope(r, host));
}
