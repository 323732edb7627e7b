import type { Clock, Random } from "@hermes/state-core";
import type { BackgroundProbe } from "../policy/background-active.js";
import type { ResetPolicySettings } from "../policy/reset-policies.js";
import type { KeyPolicy } from "../key/key-policy.js";

/** Something a host should know about, though the router went on. */
export interface GatewayWarning {
  /**
   * `bad-entry`: a stored route was left out. `unsaved`: the storage did not take a change; memory has it. `storage`:
   * it did not answer a question. `background`: the probe of background work failed.
   */
  readonly kind: "bad-entry" | "unsaved" | "storage" | "background";
  readonly sessionKey?: string;
  readonly detail: string;
}

/** How a router works. */
export interface RouterOptions {
  /** Whose routes these are; the peer's programs use the resolved path of their sessions folder. */
  readonly scope: string;
  /** When conversations start over by themselves. Default: never (GWS-03). */
  readonly resetPolicies?: ResetPolicySettings;
  /** IANA time zone of the days of the policy. Default: that of the machine. */
  readonly zone?: string;
  /** Who shares a conversation in groups and threads, and how keys are built. */
  readonly sharing?: KeyPolicy;
  /** Since when a peer's background work runs. Default: nothing runs. */
  readonly backgroundWork?: BackgroundProbe;
  /** A routing file of older programs, `sessions.json`: what the scope lacks is taken over from it at the start. */
  readonly routingFile?: string;
  /** How long a touch may wait before it is stored, in ms. Default 1000; 0: until the next step or flush. */
  readonly touchDelayMs?: number;
  /** The conversation of a peer goes on in another session: messages that wait for the first belong to the second. */
  readonly onMoved?: (sessionKey: string, from: string, to: string) => void | Promise<void>;
  readonly onWarning?: (warning: GatewayWarning) => void;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** The options that a router knows. */
export const ROUTER_OPTIONS: readonly string[] = [
  "scope",
  "resetPolicies",
  "zone",
  "sharing",
  "backgroundWork",
  "routingFile",
  "touchDelayMs",
  "onMoved",
  "onWarning",
  "clock",
  "random",
];
