import { isSharedConversation } from "@hermes/gateway-session";
import type { MessageSource, SharingPolicy } from "@hermes/gateway-session";
import { sharingArguments } from "./sharing-arguments.js";

/**
 * Whether several people talk in one session: `isSharedConversation` under its old name and parameters (CPT-03).
 *
 * @param args - `groupSessionsPerUser` (default true) and `threadSessionsPerUser` (default false), in this order or by
 * name in one object.
 * @throws TypeError for what is no boolean, or an unknown name.
 */
export function isSharedMultiUserSession(source: MessageSource, options?: SharingPolicy): boolean;
export function isSharedMultiUserSession(
  source: MessageSource,
  groupSessionsPerUser?: boolean,
  threadSessionsPerUser?: boolean,
): boolean;
export function isSharedMultiUserSession(source: MessageSource, ...args: readonly unknown[]): boolean {
  return isSharedConversation(source, sharingArguments("isSharedMultiUserSession", args).sharing);
}
