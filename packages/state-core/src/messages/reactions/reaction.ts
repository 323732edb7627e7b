import { isJsonObject } from "../../codec/json-object.js";
import type { JsonObject, JsonValue } from "../../codec/json-value.js";

/** One reaction, as `display_metadata.reactions` holds it: at most one per author. */
export interface Reaction extends JsonObject {
  readonly emoji: string;
  readonly author: string;
  /** REAL seconds since the epoch. */
  readonly at: number;
}

/** What somebody does about a message. */
export interface ReactionChange {
  /** The session the message must be of. */
  readonly sessionId: string;
  readonly author: string;
  /** The same one again takes it back, another takes its place, null clears. */
  readonly emoji: string | null;
}

/** A reaction that nobody has taken notice of yet. */
export interface UnseenReaction {
  /** The message. */
  readonly id: number;
  readonly role: string;
  readonly emoji: string;
  /** The words of the message. */
  readonly text: string;
}

function isReaction(value: JsonValue): value is Reaction {
  return isJsonObject(value) && typeof value["emoji"] === "string" && typeof value["author"] === "string";
}

/** The reactions in a message's metadata; whatever else stands there is left out. */
export function reactionsIn(metadata: JsonObject | null | undefined): readonly Reaction[] {
  const list = metadata?.["reactions"];
  return Array.isArray(list) ? (list as readonly JsonValue[]).filter(isReaction) : [];
}

/** Puts reactions into metadata; everything else in it stays. */
export function withReactions(metadata: JsonObject | null | undefined, reactions: readonly Reaction[]): JsonObject {
  const { reactions: _, ...rest } = metadata ?? {};
  return reactions.length === 0 ? rest : { ...rest, reactions };
}
