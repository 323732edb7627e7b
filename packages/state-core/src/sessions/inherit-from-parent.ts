import type { Reader } from "@hermes/state-schema";
import { COMPRESSION_END_REASON } from "./end-reasons.js";
import type { EncodedSession, SessionTextColumn } from "./encode-session.js";
import { parentNotFound } from "./session-errors.js";

/** Where the work happens: every child inherits it. */
const PLACE: readonly SessionTextColumn[] = ["cwd", "git_repo_root", "git_branch"];

/** Who talks: only a continuation inherits it, or a delegate could take over a chat. */
const ROUTING: readonly SessionTextColumn[] = [
  "user_id",
  "session_key",
  "chat_id",
  "chat_type",
  "thread_id",
  "display_name",
  "origin_json",
];

const SELECT_PARENT = `
  SELECT end_reason, profile_name, ${[...PLACE, ...ROUTING].join(", ")} FROM sessions WHERE id = ?`;

type ParentRow = Record<SessionTextColumn | "end_reason", string | null>;

function agentNamespace(sessionKey: string | null): string | undefined {
  return /^agent:[^:]*:/.exec(sessionKey ?? "")?.[0];
}

/** Two keys are of one agent, or one of them does not say. */
export function sameAgent(child: string | null, parent: string | null): boolean {
  const [own, above] = [agentNamespace(child), agentNamespace(parent)];
  return own === undefined || above === undefined || own === above;
}

/**
 * The text columns of a session with what it inherits filled in: place and profile from any parent, the routing columns
 * from a parent that a compaction closed. Given fields are never replaced (COR-20).
 *
 * @throws StateError `STATE_E_PARENT_NOT_FOUND`.
 */
export function inheritFromParent(r: Reader, session: EncodedSession): Record<SessionTextColumn, string | null> {
  const text = { ...session.text };
  const parentId = text.parent_session_id;
  if (parentId === null) return text;
  const parent = r.get<ParentRow>(SELECT_PARENT, [parentId]);
  if (!parent) throw parentNotFound(session.id, parentId);
  for (const column of PLACE) text[column] ??= parent[column];
  if (sameAgent(text.session_key, parent.session_key)) text.profile_name ??= parent.profile_name;
  if (parent.end_reason === COMPRESSION_END_REASON) {
    for (const column of ROUTING) text[column] ??= parent[column];
  }
  return text;
}
