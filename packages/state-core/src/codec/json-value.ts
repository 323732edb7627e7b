/** Anything JSON can carry, as JavaScript holds it. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** One part of structured message content; text parts carry `text`. */
export interface ContentPart extends JsonObject {
  readonly type: string;
}

/** What a message says: text, structured parts, or nothing. Exactly what was stored comes back. */
export type MessageContent = string | readonly ContentPart[] | JsonValue | null;
