import { decodeEntry, encodeEntry, newEntry } from "@hermes/gateway-session";
import type { RoutingEntry } from "@hermes/gateway-session";
import { isJsonObject, systemClock } from "@hermes/state-core";
import type { JsonObject } from "@hermes/state-core";
import { fieldsClass } from "./fields-class.js";

const Fields: new (fields: RoutingEntry) => RoutingEntry = fieldsClass<RoutingEntry>();

/** What an entry cannot do without. */
export type SessionEntryFields = Pick<RoutingEntry, "sessionKey" | "sessionId"> & Partial<RoutingEntry>;

function freshEntry(fields: SessionEntryFields): RoutingEntry {
  const { sessionKey, sessionId, origin, platform } = fields;
  const nowSeconds = fields.createdAtSeconds ?? systemClock.now();
  const source = origin ?? { platform: platform ?? "" };
  return { ...newEntry({ sessionKey, sessionId, source, nowSeconds }), platform: platform ?? null, origin: null };
}

/** A route of the gateway, with the methods of the old class: a copy, which changes nothing (CPT-03). */
export class SessionEntry extends Fields {
  /** @throws TypeError without a key or a session. */
  constructor(fields: SessionEntryFields) {
    const { sessionKey, sessionId } = fields as Partial<RoutingEntry>;
    if (typeof sessionKey !== "string" || typeof sessionId !== "string") {
      throw new TypeError("SessionEntry: sessionKey and sessionId must be strings.");
    }
    super({ ...freshEntry(fields), ...fields });
  }

  /** @throws TypeError for what is no safe entry. */
  static fromDict(data: unknown): SessionEntry {
    const key = isJsonObject(data) ? data["session_key"] : undefined;
    const decoded = decodeEntry(typeof key === "string" ? key : "", data);
    if ("skipped" in decoded) throw new TypeError(`SessionEntry.fromDict: ${decoded.skipped}.`);
    return new SessionEntry(decoded.entry);
  }

  /** The entry as it is stored, without credentials. */
  toDict(): JsonObject {
    return encodeEntry(this);
  }
}
