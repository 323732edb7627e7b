import { buildSessionKey as buildKey } from "@hermes/gateway-session";
import type { MessageSource, SharingPolicy } from "@hermes/gateway-session";
import { sharingArguments } from "./sharing-arguments.js";

/**
 * The key a peer is routed by: that of the focused package, with the parameters of the old function (CPT-03).
 *
 * @param args - `groupSessionsPerUser` (default true), `threadSessionsPerUser` (default false) and `profile` (default:
 * that of the source), in this order or by name in one object.
 * @throws TypeError when there is no platform, or for a wrong type.
 */
export function buildSessionKey(
  source: MessageSource,
  options?: SharingPolicy & { readonly profile?: string | null },
): string;
export function buildSessionKey(
  source: MessageSource,
  groupSessionsPerUser?: boolean,
  threadSessionsPerUser?: boolean,
  profile?: string | null,
): string;
export function buildSessionKey(source: MessageSource, ...args: readonly unknown[]): string {
  const { sharing, profile } = sharingArguments("buildSessionKey", args, ["profile"]);
  return buildKey(profile === undefined ? source : { ...source, profile }, sharing);
}
