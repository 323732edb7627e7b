import type { Reader } from "@hermes/state-schema";
import { walkAncestors } from "../lineage/walk-ancestors.js";
import { buildConversation, readConversationRows } from "./read-conversation.js";
import type { Transcript } from "./transcript.js";
import { guardSize } from "./limits/size-guard.js";

/** What a resumed session needs, from one reading of its rows. */
export interface ResumedConversation {
  /** What the model goes on from: this session, as a history that providers accept. */
  readonly model: Transcript;
  /** What the user sees: this session and every session above it. */
  readonly display: Transcript;
}

/**
 * Reads both views of a session from one SELECT; each equals what {@link Messages.conversation} reads by itself.
 *
 * @param limit - See {@link guardSize}.
 */
export function resumeConversation(r: Reader, sessionId: string, limit: number): ResumedConversation {
  guardSize(r, "resume", sessionId, limit);
  const sessionIds = walkAncestors(r, sessionId)
    .map((step) => step.id)
    .reverse();
  const lineage = readConversationRows(r, sessionIds, false);
  const own = lineage.rows.filter((row) => row.sessionId === sessionId);
  return {
    model: buildConversation({ ...lineage, sessionIds: [sessionId], rows: own }, { repairAlternation: true }),
    display: buildConversation(lineage, { includeAncestors: true }),
  };
}
