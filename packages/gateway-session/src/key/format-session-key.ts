import { ABSENT, holdsSeparator, writeComponent } from "./key-component.js";
import { profileNamespace } from "./key-namespace.js";
import { keyRoles } from "./key-roles.js";
import type { SessionKeyParts } from "./session-key-parts.js";

/** Every role in its place; what follows the last id is left out. */
function byPlace(parts: SessionKeyParts): readonly (string | typeof ABSENT)[] {
  const roles = keyRoles(parts.platform);
  const named = roles.map((role) => parts[role]).filter((id) => id !== undefined);
  if (named.length !== parts.ids.length) return parts.ids;
  const places = roles.map((role) => parts[role] ?? ABSENT);
  return places.slice(0, places.findLastIndex((id) => id !== ABSENT) + 1);
}

/**
 * Writes a key. Ids without ":" are written as they are, in the order of `ids`; a key that holds an id with one tells
 * every id by its place, so that no two peers share it.
 *
 * @example
 * ```ts
 * formatSessionKey({ profile: null, platform: "matrix", chatType: "group", ids: ["!room:srv"] });
 * // "agent:main:matrix:group::!room%3Asrv"
 * ```
 * Source of the rule: GWS-01.
 */
export function formatSessionKey(parts: SessionKeyParts): string {
  const ids = parts.ids.some(holdsSeparator) ? byPlace(parts) : parts.ids;
  const fixed = ["agent", profileNamespace(parts.profile), parts.platform.toLowerCase(), parts.chatType.toLowerCase()];
  return [...fixed, ...ids].map(writeComponent).join(":");
}
