import type { SqlValue } from "@hermes/state-schema";
import { CONTENT_PREFIX } from "./content-prefix.js";
import type { MessageContent } from "./json-value.js";
import { parsePythonJson } from "./parse-python-json.js";

/**
 * Reads what the `content` column holds (docs/unicode.md).
 *
 * @param damaged - Called when the cell cannot be read as content.
 * @returns The content; the raw text when it is marked as structured and does not parse; undefined when it is no text.
 */
export function decodeContent(cell: SqlValue | undefined, damaged?: () => void): MessageContent | undefined {
  if (cell === null || cell === undefined) return null;
  if (typeof cell !== "string") {
    damaged?.();
    return undefined;
  }
  if (!cell.startsWith(CONTENT_PREFIX)) return cell;
  try {
    return parsePythonJson(cell.slice(CONTENT_PREFIX.length));
  } catch {
    // The bytes are all there is: hand them on and say so, rather than lose the message.
    damaged?.();
    return cell;
  }
}
