import { checkKnownOptions } from "@hermes/state-core";
import type { MessageSource } from "../source/message-source.js";
import { checkResetPolicy } from "./check-reset-policy.js";
import type { ResetPolicy } from "./reset-policy.js";

/** The policies of a gateway as they are configured. Each is whole by itself: what it leaves out has the default. */
export interface ResetPolicySettings {
  readonly default?: Partial<ResetPolicy>;
  /** By dm, group, channel or thread. */
  readonly byChatType?: Readonly<Record<string, Partial<ResetPolicy>>>;
  /** By platform; they win over those of a chat type. */
  readonly byPlatform?: Readonly<Record<string, Partial<ResetPolicy>>>;
}

/** The policies of a gateway, checked and complete. Names are in lower case. */
export interface ResetPolicies {
  readonly default: ResetPolicy;
  readonly byChatType: ReadonlyMap<string, ResetPolicy>;
  readonly byPlatform: ReadonlyMap<string, ResetPolicy>;
}

/** What of a source decides which policy holds. */
export type PolicySource = Pick<MessageSource, "platform" | "chatType" | "threadId" | "prospectiveThreadId">;

function checkGroup(group: string, given: ResetPolicySettings["byPlatform"]): ReadonlyMap<string, ResetPolicy> {
  const policies = Object.entries(given ?? {});
  return new Map(
    policies.map(([name, policy]) => [name.toLowerCase(), checkResetPolicy(`${group}.${name}`, policy)] as const),
  );
}

/**
 * Checks the policies of a gateway once, so that no message meets a wrong one.
 *
 * @throws As {@link checkResetPolicy}, and TypeError for a group of policies that does not exist.
 */
export function checkResetPolicies(settings: ResetPolicySettings = {}): ResetPolicies {
  checkKnownOptions("reset policies", settings, ["default", "byChatType", "byPlatform"]);
  return {
    default: checkResetPolicy("default", settings.default ?? {}),
    byChatType: checkGroup("byChatType", settings.byChatType),
    byPlatform: checkGroup("byPlatform", settings.byPlatform),
  };
}

/** A message that opens a thread talks in the session of that thread, so it has that session's policy. */
function chatTypeOf(source: PolicySource): string {
  const chatType = (source.chatType ?? "") === "" ? "dm" : String(source.chatType).toLowerCase();
  const opensThread = (source.threadId ?? "") === "" && (source.prospectiveThreadId ?? "") !== "";
  return opensThread && chatType !== "dm" ? "thread" : chatType;
}

/** The policy of a peer: that of its platform, else that of its chat type, else the default (GWS-03). */
export function resolvePolicy(policies: ResetPolicies, source: PolicySource): ResetPolicy {
  return (
    policies.byPlatform.get(source.platform.toLowerCase()) ??
    policies.byChatType.get(chatTypeOf(source)) ??
    policies.default
  );
}

/** Whether a peer on this platform is told that its conversation started over. */
export function notifiesReset(policy: ResetPolicy, platform: string): boolean {
  const name = platform.toLowerCase();
  return policy.notify && !policy.notifyExclude.some((excluded) => excluded.toLowerCase() === name);
}
