import { encodeSource } from "@hermes/gateway-session";
import type { MessageSource } from "@hermes/gateway-session";
import type { JsonObject, JsonValue } from "@hermes/state-core";

/** What an agent is told about where it talks. */
export interface SessionContextFields {
  readonly source: MessageSource;
  readonly connectedPlatforms?: readonly string[];
  /** Where each platform delivers what nobody asked for. */
  readonly homeChannels?: Readonly<Record<string, JsonValue>>;
  readonly sharedMultiUserSession?: boolean;
  readonly sessionKey?: string;
  readonly sessionId?: string;
  /** REAL seconds. */
  readonly createdAtSeconds?: number | null;
  /** REAL seconds. */
  readonly updatedAtSeconds?: number | null;
}

function iso(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1000).toISOString();
}

/** What an agent is told about where it talks (CPT-03). */
export class SessionContext implements Required<SessionContextFields> {
  readonly source: MessageSource;
  readonly connectedPlatforms: readonly string[];
  readonly homeChannels: Readonly<Record<string, JsonValue>>;
  readonly sharedMultiUserSession: boolean;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly createdAtSeconds: number | null;
  readonly updatedAtSeconds: number | null;

  constructor(fields: SessionContextFields) {
    this.source = fields.source;
    this.connectedPlatforms = fields.connectedPlatforms ?? [];
    this.homeChannels = fields.homeChannels ?? {};
    this.sharedMultiUserSession = fields.sharedMultiUserSession ?? false;
    this.sessionKey = fields.sessionKey ?? "";
    this.sessionId = fields.sessionId ?? "";
    this.createdAtSeconds = fields.createdAtSeconds ?? null;
    this.updatedAtSeconds = fields.updatedAtSeconds ?? null;
  }

  /** With the keys of the old program; times are ISO texts in UTC. */
  toDict(): JsonObject {
    return {
      source: encodeSource(this.source),
      connected_platforms: [...this.connectedPlatforms],
      home_channels: { ...this.homeChannels },
      shared_multi_user_session: this.sharedMultiUserSession,
      session_key: this.sessionKey,
      session_id: this.sessionId,
      created_at: iso(this.createdAtSeconds),
      updated_at: iso(this.updatedAtSeconds),
    };
  }
}
