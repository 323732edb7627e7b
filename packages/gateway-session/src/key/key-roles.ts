/** What an id of a key can be. */
export type KeyRole = "scopeId" | "chatId" | "threadId" | "participantId";

const ROLES: readonly KeyRole[] = ["chatId", "threadId", "participantId"];
const SCOPED_ROLES: readonly KeyRole[] = ["scopeId", ...ROLES];

/** The platform whose keys name the workspace before the chat; the others stay as the peer writes them. */
export const SCOPED_PLATFORM = "slack";

/** The roles of a platform's keys in their places. */
export function keyRoles(platform: string): readonly KeyRole[] {
  return platform === SCOPED_PLATFORM ? SCOPED_ROLES : ROLES;
}
