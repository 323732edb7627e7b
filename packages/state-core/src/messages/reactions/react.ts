import type { Writer } from "@hermes/state-schema";
import { encodeDisplayMetadata } from "../../codec/display-metadata.js";
import { MESSAGE_DECODER } from "../message-decoder.js";
import { SELECT_MESSAGE } from "../message-queries.js";
import { reactionsIn, withReactions } from "./reaction.js";
import type { Reaction, ReactionChange } from "./reaction.js";

/** Writes the metadata of one message. */
export const SET_METADATA = "UPDATE messages SET display_metadata = ? WHERE id = ?";

/**
 * Changes the reaction of one author to a message, inside one transaction.
 *
 * @param now - REAL seconds.
 * @returns All reactions to the message; null when the session has no such message.
 */
export function react(w: Writer, id: number, change: ReactionChange, now: number): readonly Reaction[] | null {
  const { sessionId, author, emoji } = change;
  const [cells] = w.tuples(SELECT_MESSAGE, [id]);
  const row = cells && MESSAGE_DECODER.decode(cells);
  if (row?.sessionId !== sessionId) return null;
  const before = reactionsIn(row.displayMetadata);
  const own = before.find((reaction) => reaction.author === author);
  const others = before.filter((reaction) => reaction.author !== author);
  const kept = emoji === null || own?.emoji === emoji ? others : [...others, { emoji, author, at: now }];
  if (kept.length === before.length && own === undefined) return before;
  w.run(SET_METADATA, [encodeDisplayMetadata(withReactions(row.displayMetadata, kept)), id]);
  return kept;
}
