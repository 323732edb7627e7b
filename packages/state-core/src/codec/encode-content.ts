import { CONTENT_PREFIX } from "./content-prefix.js";
import type { MessageContent } from "./json-value.js";
import { pythonJson } from "./python-json.js";

/**
 * Turns message content into what the `content` column holds: text as it is, null as NULL, everything else as the
 * prefix and Python-spelled JSON (docs/unicode.md). Text that begins like structured content is wrapped too, so that
 * what was given comes back.
 *
 * @returns Text to bind, or null.
 */
export function encodeContent(content: MessageContent | undefined): string | null {
  if (content === undefined || content === null) return null;
  if (typeof content === "string" && !content.startsWith(CONTENT_PREFIX)) return content;
  return CONTENT_PREFIX + pythonJson(content);
}
