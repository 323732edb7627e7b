import type { Reader, Writer } from "@hermes/state-schema";
import { contentText } from "../../codec/content-text.js";
import { encodeDisplayMetadata } from "../../codec/display-metadata.js";
import { MESSAGE_DECODER } from "../message-decoder.js";
import type { MessageRow } from "../message-row.js";
import { SET_METADATA } from "./react.js";
import { reactionsIn, withReactions } from "./reaction.js";
import type { Reaction, UnseenReaction } from "./reaction.js";

/** The text narrows the rows down; what they hold is decided by reading it. */
const REACTED = `
  SELECT ${MESSAGE_DECODER.select("m")} FROM messages AS m
  WHERE m.session_id = ? AND COALESCE(m.active, 1) = 1 AND instr(m.display_metadata, 'reactions') > 0
  ORDER BY m.id`;

const isUnseen = (reaction: Reaction, author: string): boolean => reaction.author === author && !reaction["seen"];

function unseenRows(r: Reader, sessionId: string, author: string): MessageRow[] {
  const rows = r.tuples(REACTED, [sessionId]).map((cells) => MESSAGE_DECODER.decode(cells));
  return rows.filter((row) => reactionsIn(row.displayMetadata).some((reaction) => isUnseen(reaction, author)));
}

/** Whether an author has reacted to something that nobody has taken notice of. */
export function hasUnseen(r: Reader, sessionId: string, author: string): boolean {
  return unseenRows(r, sessionId, author).length > 0;
}

/**
 * Takes notice of an author's reactions, inside one transaction: each is given out once.
 *
 * @returns One per message, oldest message first.
 */
export function takeUnseen(w: Writer, sessionId: string, author: string): readonly UnseenReaction[] {
  return unseenRows(w, sessionId, author).flatMap(({ id, role, content, displayMetadata }) => {
    const reactions = reactionsIn(displayMetadata);
    const seen = reactions.map((reaction) => (isUnseen(reaction, author) ? { ...reaction, seen: true } : reaction));
    w.run(SET_METADATA, [encodeDisplayMetadata(withReactions(displayMetadata, seen)), id]);
    const unseen = reactions.filter((reaction) => isUnseen(reaction, author));
    return unseen.map(({ emoji }) => ({ id, role, emoji, text: contentText(content) }));
  });
}
