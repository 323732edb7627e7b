import { encodeContent } from "@hermes/state-core";
import type { MessageContent } from "@hermes/state-core";
import type { Writer } from "@hermes/state-schema";

const NEWEST_EQUAL = `
  SELECT id FROM messages
  WHERE session_id = ? AND role = ? AND content IS ? AND COALESCE(active, 1) = 1 ORDER BY id DESC LIMIT 1`;

/** The newest message of a session that the model sees and that says just this; undefined for none. */
export function newestEqual(
  w: Pick<Writer, "get">,
  sessionId: string,
  role: string,
  content: MessageContent,
): number | undefined {
  return w.get<{ id: number }>(NEWEST_EQUAL, [sessionId, role, encodeContent(content)])?.id;
}
