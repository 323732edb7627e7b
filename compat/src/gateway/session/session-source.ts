import { decodeSource, encodeSource } from "@hermes/gateway-session";
import type { MessageSource } from "@hermes/gateway-session";
import type { JsonObject } from "@hermes/state-core";
import { fieldsClass } from "./fields-class.js";

const Fields: new (fields: MessageSource) => MessageSource = fieldsClass<MessageSource>();

/** The words for a place that is no direct message. */
const PLACES: ReadonlySet<string> = new Set(["group", "channel"]);

function placeOf(source: MessageSource): string {
  const { chatType, chatName, chatId, userName, userId } = source;
  if (chatType === "dm") return `DM with ${userName || userId || "user"}`;
  const name = chatName || chatId || "unknown";
  return PLACES.has(chatType ?? "") ? `${chatType}: ${name}` : name;
}

/** Where a message came from, with the methods of the old class: a `MessageSource` as any other (CPT-03). */
export class SessionSource extends Fields {
  /** @throws TypeError without a platform. */
  constructor(fields: MessageSource) {
    if (typeof (fields as MessageSource | undefined)?.platform !== "string") {
      throw new TypeError("SessionSource: platform must be a string.");
    }
    super({ ...fields, chatType: fields.chatType || "dm" });
  }

  /** @throws TypeError for what names no platform. */
  static fromDict(data: unknown): SessionSource {
    const source = decodeSource(data);
    if (!source) throw new TypeError("SessionSource.fromDict: the data names no platform.");
    return new SessionSource(source);
  }

  /** The place in words. */
  description(): string {
    if (this.platform === "local") return "CLI terminal";
    const thread = this.threadId ? [`thread: ${this.threadId}`] : [];
    return [placeOf(this), ...thread].join(", ");
  }

  /** The source as it is stored, without what a peer could forge. */
  toDict(): JsonObject {
    return encodeSource(this);
  }
}
