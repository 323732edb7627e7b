import { contentText, MESSAGE_DECODER } from "@hermes/state-core";
import type { MessageRow } from "@hermes/state-core";

/** The text narrows the rows down; what they say is decided by reading it. Parameter: a JSON list of session ids. */
export const PULL_REQUEST_ROWS: string = `
  SELECT ${MESSAGE_DECODER.select("m")} FROM messages AS m
  WHERE m.session_id IN (SELECT value FROM json_each(?))
    AND (instr(m.content, '/pull/') > 0 OR instr(m.content, '/merge_requests/') > 0)
    AND (COALESCE(m.active, 1) = 1 OR COALESCE(m.compacted, 0) = 1)
  ORDER BY m.id`;

const LINK = /\bhttps?:\/\/[^\s/]+\/[^\s]+\/(?:pull|merge_requests)\/\d+/i;

/** Whether the words of a message link a pull request or a merge request. */
export function linksPullRequest(row: MessageRow): boolean {
  return LINK.test(contentText(row.content));
}
