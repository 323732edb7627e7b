import { contentText } from "../../codec/content-text.js";
import type { MessageRow } from "../message-row.js";

/** How the texts begin that compactions hand over to the model; older files have no other mark on them. */
const OPENINGS = ["[CONTEXT COMPACTION", "[CONTEXT SUMMARY]:"];

/** True for what a compaction wrote in the user's name: nobody said it. */
export function isHandoff(row: Pick<MessageRow, "content" | "compressedSummary">): boolean {
  if (row.compressedSummary) return true;
  const text = contentText(row.content).trimStart();
  return OPENINGS.some((opening) => text.startsWith(opening));
}
