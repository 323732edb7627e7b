import type { MessageContent } from "./json-value.js";

const TEXT_TYPES: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text"]);

function partText(part: unknown): string | undefined {
  if (typeof part === "string") return part;
  if (typeof part !== "object" || part === null) return undefined;
  const { type, text } = part as { type?: unknown; text?: unknown };
  return typeof text === "string" && (type === undefined || TEXT_TYPES.has(type)) ? text : undefined;
}

/**
 * The words of a message: text as it is, the text parts of structured content one per line, nothing for the rest.
 * Search, previews and Markdown show this, never stored JSON (SEA-05).
 */
export function contentText(content: MessageContent | undefined): string {
  if (typeof content === "string") return content;
  if (typeof content !== "object" || content === null) return "";
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts
    .map(partText)
    .filter((text) => text !== undefined)
    .join("\n");
}
