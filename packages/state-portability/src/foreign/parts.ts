import type { ContentPart, MessageContent } from "@hermes/state-core";

/** A text part of structured content. */
export function textPart(text: string): ContentPart {
  return { type: "text", text };
}

/** A picture as structured content holds it: an address, or the bytes in a data address. */
export function imagePart(url: string): ContentPart {
  return { type: "image_url", image_url: { url } };
}

/** The address of bytes that a source holds in base64. */
export function dataUrl(mediaType: string, base64: string): string {
  return `data:${mediaType};base64,${base64}`;
}

/** Parts as content: text alone is plain text, nothing is null. */
export function contentOfParts(parts: readonly ContentPart[]): MessageContent {
  if (parts.length === 0) return null;
  const texts = parts.map((part) =>
    part.type === "text" && typeof part["text"] === "string" ? part["text"] : undefined,
  );
  if (texts.every((text) => text !== undefined)) return texts.join("\n\n");
  return [...parts];
}
