import { checkKnownOptions } from "@hermes/state-core";
import type { SessionStore } from "./session-store.js";

/** Who talks to the agent that searches. */
export interface SearchCaller {
  /** The platform the caller is on: cli, telegram, ... */
  readonly platform: string;
  /** The session key of the conversation with the caller. */
  readonly sessionKey?: string;
}

/** What the program around an agent knows and the agent must not choose. */
export interface SessionSearchHost {
  /** The session the agent is in: its lineage is what the agent can see anyway. */
  readonly currentSessionId?: string;
  /** The profile the store belongs to. */
  readonly profile?: string;
  readonly caller?: SearchCaller;
  /**
   * Opens the store of another profile, to read only; undefined when there is no such profile. The search closes what
   * it opened.
   */
  readonly openProfile?: (name: string) => (SessionStore & { close(): void }) | undefined;
  /** All profiles, for a session that is not found in this one. */
  readonly profileNames?: () => readonly string[];
}

const KNOWN: readonly (keyof SessionSearchHost)[] = [
  "currentSessionId",
  "profile",
  "caller",
  "openProfile",
  "profileNames",
];

/** @throws TypeError for an unknown option. */
export function checkHost(host: SessionSearchHost): SessionSearchHost {
  checkKnownOptions("sessionSearch", host, KNOWN);
  return host;
}
