import type { MessageSource, SharingPolicy } from "../source/message-source.js";
import { isDirect, threadOf } from "./key-place.js";

/**
 * Whether several people talk in the same session, so that their messages need their names.
 *
 * @returns False for direct messages; in a thread the policy of threads decides, elsewhere that of groups (GWS-01).
 */
export function isSharedConversation(source: MessageSource, policy: SharingPolicy = {}): boolean {
  if (isDirect(source)) return false;
  if (threadOf(source) !== undefined) return !(policy.threadSessionsPerUser ?? false);
  return !(policy.groupSessionsPerUser ?? true);
}
