import { setTimeout } from "node:timers/promises";
import { checkKnownOptions } from "../config/check-known-options.js";
import { checkTtl } from "./check-ttl.js";
import { LEASE_TTL_SECONDS } from "./lease.js";
import type { LeaseRow } from "./lease.js";

/** What a waiting caller is told. */
export interface TurnWait {
  readonly sessionId: string;
  readonly waitedSeconds: number;
  /** Who has the turn; undefined when the file was too busy to tell. */
  readonly heldBy: LeaseRow | undefined;
}

/** How to wait for a turn. */
export interface TurnOptions {
  /** Default: a text of this process that the peer understands. */
  readonly holder?: string;
  /** Seconds until the lease ends if this process dies; default 300. It is refreshed three times as often. */
  readonly ttlSeconds?: number;
  /** How long to wait for another turn to end, in seconds; default 1,800. */
  readonly waitSeconds?: number;
  /** Seconds between two looks; default 1. */
  readonly pollSeconds?: number;
  /** Ends the waiting; the turn sees it too. */
  readonly signal?: AbortSignal;
  /** Asked before each look; true ends the waiting with `STATE_E_ABORTED`. */
  readonly shouldStop?: () => boolean;
  /** Called every 15 seconds of waiting. */
  readonly onWait?: (wait: TurnWait) => void;
  /** How time passes; it settles early, either way, when the signal aborts. Default: a timer. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** {@link TurnOptions} with the defaults that do not depend on the store. */
export type ResolvedTurnOptions = TurnOptions & Required<Omit<TurnOptions, "holder" | "shouldStop" | "onWait">>;

const KNOWN: readonly (keyof TurnOptions)[] = [
  "holder",
  "ttlSeconds",
  "waitSeconds",
  "pollSeconds",
  "signal",
  "shouldStop",
  "onWait",
  "pause",
];

const DEFAULTS = {
  ttlSeconds: LEASE_TTL_SECONDS,
  waitSeconds: 1_800,
  pollSeconds: 1,
  pause: (ms: number, signal: AbortSignal): Promise<void> => setTimeout(ms, undefined, { signal }),
};

/**
 * Checks the options of a turn and fills in the defaults.
 *
 * @throws TypeError for an unknown option, RangeError for an impossible number.
 */
export function resolveTurnOptions(options: TurnOptions): ResolvedTurnOptions {
  checkKnownOptions("withTurnLease", options, KNOWN);
  const resolved = { ...DEFAULTS, signal: new AbortController().signal, ...options };
  checkTtl("withTurnLease: ttlSeconds", resolved.ttlSeconds);
  checkTtl("withTurnLease: pollSeconds", resolved.pollSeconds);
  if (!(Number.isFinite(resolved.waitSeconds) && resolved.waitSeconds >= 0)) {
    throw new RangeError(`withTurnLease: waitSeconds must be 0 or more, not ${String(resolved.waitSeconds)}.`);
  }
  return resolved;
}
