import { contentText } from "@hermes/state-core";
import type { JsonObject, JsonValue, MessageContent } from "@hermes/state-core";

/** The parts of structured content that are no text: pictures, sounds, files. */
export function otherParts(content: MessageContent | undefined): readonly JsonObject[] {
  if (typeof content !== "object" || content === null) return [];
  const parts: readonly JsonValue[] = Array.isArray(content) ? (content as readonly JsonValue[]) : [content];
  return parts.filter(isObject).filter((part) => contentText([part]) === "" && !isText(part));
}

/** A text that is empty is a text. */
function isText({ type }: JsonObject): boolean {
  return type === "text" || type === "input_text" || type === "output_text";
}

/** What a part calls itself. */
export function partType({ type }: JsonObject): string {
  return typeof type === "string" ? type : "data";
}

/** Where a picture is, in any of the shapes that programs write: an address, or its bytes as a `data:` one. */
export function pictureAddress(part: JsonObject): string | undefined {
  const { image_url: given, source } = part;
  const address = isObject(given) ? given["url"] : given;
  if (typeof address === "string") return address;
  if (!isObject(source)) return undefined;
  const { media_type: type, data, url } = source;
  if (typeof url === "string") return url;
  return typeof type === "string" && typeof data === "string" ? `data:${type};base64,${data}` : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
