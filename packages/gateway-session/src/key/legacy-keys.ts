import type { MessageSource } from "../source/message-source.js";
import { buildSessionKey, idsInOrder } from "./build-session-key.js";
import { profileNamespace } from "./key-namespace.js";
import { idText, isDirect, type KeyPlace, keyPlace, participantOf } from "./key-place.js";
import type { KeyPolicy } from "./key-policy.js";
import { whatsappNumber } from "./whatsapp-id.js";

function spelling(namespace: string, place: KeyPlace): string {
  return ["agent", namespace, place.platform, place.chatType, ...idsInOrder(place)].join(":");
}

/** The namespaces a profile has had: one that is called `main` shared that of the main profile once. */
function namespaces(profile: string | null | undefined): string[] {
  const current = profileNamespace(profile);
  return current.endsWith("~") && current.startsWith("main~") ? [current, profile ?? current] : [current];
}

/** The place with the person's id as the bridge gave it, and as each number it knows for the person. */
function whatsappPlaces(place: KeyPlace, source: MessageSource, policy: KeyPolicy): KeyPlace[] {
  const inChat = isDirect(source) && place.chatId !== undefined;
  const given = inChat ? idText("chatId", source.chatId) : place.participantId && participantOf(source);
  if (given === undefined) return [place];
  const number = whatsappNumber(given);
  const spellings = [number, given, ...(policy.whatsappAliases?.(number) ?? [])];
  return [place, ...spellings.map((id) => ({ ...place, [inChat ? "chatId" : "participantId"]: id }))];
}

/**
 * The keys the same peer may have been stored under before, the likeliest first: ids with ":" unescaped, Slack without
 * its workspace, a profile called `main` before it was told apart, WhatsApp ids as the bridge spelt them.
 *
 * Another peer may own such a key: ask {@link provesSamePeer} before its session is taken over.
 *
 * @returns Never the key that {@link buildSessionKey} gives. Source of the rule: GWS-01.
 */
export function legacyKeys(source: MessageSource, policy: KeyPolicy = {}): string[] {
  const place = keyPlace(source, policy);
  const raw = place.platform === "whatsapp" ? whatsappPlaces(place, source, policy) : [place];
  const places = raw.flatMap((each) => (each.scopeId === undefined ? [each] : [each, { ...each, scopeId: undefined }]));
  const keys = namespaces(source.profile).flatMap((namespace) => places.map((each) => spelling(namespace, each)));
  const current = buildSessionKey(source, policy);
  return [...new Set(keys)].filter((key) => key !== current);
}
