import { newSessionId } from "@hermes/state-core";
import type { Clock, Random } from "@hermes/state-core";
import type { RoutingEntry } from "../entry/routing-entry.js";
import type { KeyPolicy } from "../key/key-policy.js";
import { backgroundActive } from "../policy/background-active.js";
import type { BackgroundProbe } from "../policy/background-active.js";
import { resolvePolicy } from "../policy/reset-policies.js";
import type { ResetPolicies } from "../policy/reset-policies.js";
import type { ResetPolicy } from "../policy/reset-policy.js";
import { resetReason } from "../policy/reset-reason.js";
import type { ResetQuestion } from "../policy/reset-reason.js";
import { systemZone } from "../policy/wall-clock.js";
import type { SessionStoragePort } from "../port/session-storage-port.js";
import type { RouteKeeper } from "./route-keeper.js";
import type { GatewayWarning } from "./router-options.js";

/** What every part of a router shares. */
export class RouteContext {
  readonly port: SessionStoragePort;
  readonly keeper: RouteKeeper;
  readonly policies: ResetPolicies;
  readonly sharing: KeyPolicy;
  readonly clock: Clock;
  readonly warn: (warning: GatewayWarning) => void;
  #zone: string | undefined;
  readonly #random: Random;
  readonly #probe: BackgroundProbe | undefined;

  constructor(parts: {
    readonly port: SessionStoragePort;
    readonly keeper: RouteKeeper;
    readonly policies: ResetPolicies;
    readonly sharing: KeyPolicy;
    readonly zone: string | undefined;
    readonly clock: Clock;
    readonly random: Random;
    readonly probe: BackgroundProbe | undefined;
    readonly warn: (warning: GatewayWarning) => void;
  }) {
    this.port = parts.port;
    this.keeper = parts.keeper;
    this.policies = parts.policies;
    this.sharing = parts.sharing;
    this.#zone = parts.zone;
    this.clock = parts.clock;
    this.warn = parts.warn;
    this.#random = parts.random;
    this.#probe = parts.probe;
  }

  /** IANA name; that of the machine is asked for when a policy first needs a day. */
  get zone(): string {
    this.#zone ??= systemZone();
    return this.#zone;
  }

  /** REAL seconds. */
  now(): number {
    return this.clock.now();
  }

  newSessionId(): string {
    return newSessionId(this.clock, this.#random);
  }

  /** A token that is not guessed: 32 hex digits. */
  newToken(): string {
    return this.#random.hex(16);
  }

  policyOf(entry: RoutingEntry): ResetPolicy {
    const { platform, chatType, origin } = entry;
    return resolvePolicy(this.policies, origin ?? { platform: platform ?? "", chatType });
  }

  /** Whether the peer has work in the background that keeps its conversation. */
  worksInBackground(entry: RoutingEntry): Promise<boolean> {
    const { sessionKey } = entry;
    const failed = (error: unknown): void => {
      this.warn({ kind: "background", sessionKey, detail: String(error) });
    };
    return backgroundActive(this.#probe, sessionKey, this.policyOf(entry), this.now(), failed);
  }

  /** Everything the reset of a route depends on, now. Only where time may end it is the background work asked for. */
  async resetQuestion(entry: RoutingEntry): Promise<ResetQuestion> {
    const policy = this.policyOf(entry);
    const byDay = policy.mode === "daily" || policy.mode === "both";
    const question = { entry, policy, now: this.now(), zone: byDay ? this.zone : "UTC" };
    if (policy.mode === "none" || this.#probe === undefined) return question;
    return { ...question, backgroundActive: await this.worksInBackground(entry) };
  }

  async resetReason(entry: RoutingEntry): Promise<string | null> {
    return resetReason(await this.resetQuestion(entry));
  }
}
