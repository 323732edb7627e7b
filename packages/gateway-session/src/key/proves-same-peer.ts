import type { MessageSource } from "../source/message-source.js";
import { profileNamespace } from "./key-namespace.js";
import { idText, type KeyPlace, keyPlace, participantOf } from "./key-place.js";
import type { KeyPolicy } from "./key-policy.js";

/** The one spelling of a person's id. */
function personId(platform: string, userId: string, policy: KeyPolicy): string | undefined {
  return keyPlace({ platform, chatType: "dm", userId }, policy).participantId;
}

/** Whether two sources name the same person; undefined when they do not both say who. */
function samePerson(a: MessageSource, b: MessageSource, policy: KeyPolicy): boolean | undefined {
  for (const role of ["userIdAlt", "userId"] as const) {
    const one = idText(role, a[role]);
    const other = idText(role, b[role]);
    if (one === undefined || other === undefined) continue;
    return personId(a.platform, one, policy) === personId(a.platform, other, policy);
  }
  return participantOf(a) === undefined && participantOf(b) === undefined ? true : undefined;
}

/** A workspace that is not known can only be that of a direct message: its first claimer gets it. */
function sameScope(stored: KeyPlace, place: KeyPlace): boolean {
  if (stored.scopeId === place.scopeId) return true;
  return stored.scopeId === undefined && place.chatType === "dm";
}

/**
 * Whether a stored source is certainly the same peer: same profile, platform, chat and thread, and the same person
 * wherever persons are told apart. What the stored one does not say proves nothing.
 *
 * @param stored - The origin of a route or session found under an older key.
 * @param policy - As the keys are built. Source of the rule: GWS-01, GWS-04.
 */
export function provesSamePeer(
  stored: MessageSource | null | undefined,
  source: MessageSource,
  policy: KeyPolicy = {},
): boolean {
  if (!stored?.platform) return false;
  const [old, now] = [keyPlace(stored, policy), keyPlace(source, policy)];
  if (old.platform !== now.platform || old.chatType !== now.chatType || old.threadId !== now.threadId) return false;
  if (profileNamespace(stored.profile) !== profileNamespace(source.profile)) return false;
  if (old.chatId !== now.chatId || !sameScope(old, now)) return false;
  const person = samePerson(stored, source, policy);
  if (now.participantId !== undefined || now.chatId === undefined) return person === true;
  return now.chatType === "dm" ? person !== false : true;
}
