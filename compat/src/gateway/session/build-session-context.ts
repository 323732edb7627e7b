import type { MessageSource, RoutingEntry, SharingPolicy } from "@hermes/gateway-session";
import type { JsonValue } from "@hermes/state-core";
import { isSharedMultiUserSession } from "./is-shared-multi-user-session.js";
import { SessionContext } from "./session-context.js";

/** What of a gateway's configuration an agent is told. */
export interface SessionContextConfig extends SharingPolicy {
  readonly connectedPlatforms?: readonly string[];
  /** By platform; of the connected ones only. */
  readonly homeChannels?: Readonly<Record<string, JsonValue>>;
}

/** What an agent is told about where it talks, from the message, the gateway and the route (CPT-03). */
export function buildSessionContext(
  source: MessageSource,
  config: SessionContextConfig = {},
  sessionEntry?: RoutingEntry | null,
): SessionContext {
  const { groupSessionsPerUser = true, threadSessionsPerUser = false } = config;
  const { connectedPlatforms = [], homeChannels = {} } = config;
  const homes = Object.entries(homeChannels).filter(([platform]) => connectedPlatforms.includes(platform));
  const { sessionKey, sessionId, createdAtSeconds, updatedAtSeconds } = sessionEntry ?? {};
  return new SessionContext({
    source,
    connectedPlatforms,
    homeChannels: Object.fromEntries(homes),
    sharedMultiUserSession: isSharedMultiUserSession(source, groupSessionsPerUser, threadSessionsPerUser),
    sessionKey: sessionKey ?? "",
    sessionId: sessionId ?? "",
    createdAtSeconds: createdAtSeconds ?? null,
    updatedAtSeconds: updatedAtSeconds ?? null,
  });
}
