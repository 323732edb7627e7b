import { StateError } from "@hermes/state-core";
import { ABSENT, type KeyComponents, readComponents } from "./key-component.js";
import { namespaceProfile } from "./key-namespace.js";
import { type KeyRole, keyRoles, SCOPED_PLATFORM } from "./key-roles.js";
import type { SessionKeyParts } from "./session-key-parts.js";

type Roles = Partial<Record<KeyRole, string>>;

function badKey(key: string): StateError {
  return new StateError(
    "STATE_E_BAD_SESSION_KEY",
    `${JSON.stringify(key)} is no session key. Build one with buildSessionKey.`,
    { key },
  );
}

/** Ids that are told by their place. @returns Undefined when there are more than places, or none at the end. */
function rolesByPlace(platform: string, ids: KeyComponents["values"]): Roles | undefined {
  const places = keyRoles(platform);
  if (ids.length > places.length || ids.at(-1) === ABSENT) return undefined;
  const named = ids.map((id, at) => [places[at], id] as const).filter(([, id]) => id !== ABSENT);
  return Object.fromEntries(named) as Roles;
}

/** The one reading of ids in the peer's spelling; undefined where a place may stand for several roles. */
function onlyReading(platform: string, chatType: string, count: number): readonly (KeyRole | undefined)[] {
  const scoped = platform === SCOPED_PLATFORM ? 1 : 0;
  if (chatType !== "dm") return count === 3 + scoped ? keyRoles(platform) : [];
  // The first id of a direct message is its chat or its person; a thread can only follow it.
  if (count !== 2 + scoped) return [];
  return scoped === 1 ? ["scopeId", undefined, "threadId"] : [undefined, "threadId"];
}

function certainRoles(platform: string, chatType: string, ids: readonly string[]): Roles {
  const roles = onlyReading(platform, chatType, ids.length);
  return Object.fromEntries(roles.flatMap((role, at) => (role === undefined ? [] : [[role, ids[at]]])));
}

/**
 * Reads a session key. The fixed part (agent, platform, chat type) is read in any case; ids are kept byte by byte.
 *
 * @returns Its profile, platform, chat type and ids; a role is named where no other reading is possible.
 * @throws StateError `STATE_E_BAD_SESSION_KEY` for what is no key. Source of the rule: GWS-01.
 */
export function parseSessionKey(key: string): SessionKeyParts {
  const read = readComponents(key);
  if (read === undefined) throw badKey(key);
  const [agent, namespace, platform, chatType, ...ids] = read.values;
  if (typeof agent !== "string" || agent.toLowerCase() !== "agent") throw badKey(key);
  if (typeof namespace !== "string" || typeof platform !== "string" || typeof chatType !== "string") throw badKey(key);
  const fixed = { platform: platform.toLowerCase(), chatType: chatType.toLowerCase() };
  const texts = ids.filter((id) => id !== ABSENT);
  const placed = read.escaped.slice(4).includes(true);
  if (placed && !texts.some((id) => id.includes(":"))) throw badKey(key);
  const roles = placed ? rolesByPlace(fixed.platform, ids) : certainRoles(fixed.platform, fixed.chatType, texts);
  if (roles === undefined) throw badKey(key);
  return { profile: namespaceProfile(namespace), ...fixed, ids: texts, ...roles };
}
