import type { Reader } from "@hermes/state-schema";
import { dropReplays } from "./drop-replays.js";
import { MESSAGE_DECODER } from "./message-decoder.js";
import { selectTranscriptSql } from "./message-queries.js";
import { repairAlternation } from "./repair-alternation.js";
import type { ConversationOptions, Transcript } from "./transcript.js";
import { toTranscriptMessage } from "./transcript-message.js";

/**
 * Reads the messages of some sessions as one conversation.
 *
 * @param sessionIds - The segments; rows come in insertion order whatever segment they are in.
 */
export function readConversation(
  r: Reader,
  sessionIds: readonly string[],
  options: ConversationOptions,
): Pick<Transcript, "messages" | "damaged"> {
  const scope = options.includeInactive ? "all" : "active";
  const [only, ...others] = sessionIds;
  const cells =
    only !== undefined && others.length === 0
      ? r.tuples(selectTranscriptSql(scope, "one"), [only])
      : r.tuples(selectTranscriptSql(scope, "several"), [JSON.stringify(sessionIds)]);
  const rows = cells.map((row) => MESSAGE_DECODER.decode(row));
  let messages = rows.map((row) => toTranscriptMessage(row, options.includeRowIds ?? false));
  if (options.includeAncestors) messages = dropReplays(messages);
  if (options.repairAlternation) messages = repairAlternation(messages);
  const damaged = rows.filter((row) => row.damaged.length > 0).map((row) => ({ id: row.id, keys: row.damaged }));
  return { messages, damaged };
}
