import type { Reader } from "@hermes/state-schema";
import { generationToken } from "../store/generation-token.js";
import { dropReplays } from "./drop-replays.js";
import { MESSAGE_DECODER } from "./message-decoder.js";
import { selectTranscriptSql } from "./message-queries.js";
import type { MessageRow } from "./message-row.js";
import { repairAlternation } from "./repair-alternation.js";
import { messageDigest } from "./saving/message-digest.js";
import { writePlace } from "./saving/persisted-marker.js";
import type { ConversationOptions, Transcript } from "./transcript.js";
import { toTranscriptMessage } from "./transcript-message.js";
import type { DraftMessage } from "./transcript-message.js";

/** Rows of some sessions, and what their messages are marked with. */
export interface ConversationRows {
  /** The segments, the one that was asked for last. */
  readonly sessionIds: readonly string[];
  /** In insertion order, whatever segment they are in. */
  readonly rows: readonly MessageRow[];
  readonly generation: string | undefined;
}

/** Reads the rows that a conversation, or two views of one, are made of. */
export function readConversationRows(r: Reader, sessionIds: readonly string[], inactive: boolean): ConversationRows {
  const scope = inactive ? "all" : "active";
  const [only, ...others] = sessionIds;
  const cells =
    only !== undefined && others.length === 0
      ? r.tuples(selectTranscriptSql(scope, "one"), [only])
      : r.tuples(selectTranscriptSql(scope, "several"), [JSON.stringify(sessionIds)]);
  return { sessionIds, rows: cells.map((row) => MESSAGE_DECODER.decode(row)), generation: generationToken(r) };
}

/** Marks messages as stored in the session they were loaded for, also those of its ancestors (COR-23). */
function markLoaded(messages: readonly DraftMessage[], generation: string | undefined, sessionId: string): void {
  for (const message of messages) {
    const rows = (message._persisted ?? "").split("+").map(Number);
    const as = { rows, seconds: message.timestampSeconds, digest: messageDigest(message), repeated: false };
    message._persisted = writePlace(generation, sessionId, as);
  }
}

/** Makes the conversation of rows that were read. */
export function buildConversation(
  { sessionIds, rows, generation }: ConversationRows,
  options: ConversationOptions,
): Transcript {
  const sessionId = sessionIds.at(-1) ?? "";
  let messages = rows.map((row) => toTranscriptMessage(row, options.includeRowIds ?? false));
  if (options.includeAncestors) messages = dropReplays(messages);
  if (options.repairAlternation) messages = repairAlternation(messages);
  markLoaded(messages, generation, sessionId);
  const damaged = rows.filter((row) => row.damaged.length > 0).map((row) => ({ id: row.id, keys: row.damaged }));
  return { sessionId, sessionIds, messages, damaged };
}
