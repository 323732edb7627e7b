import type { RoutingEntry } from "../entry/routing-entry.js";

/**
 * How a route was found. `known`: it stood. `created`: the first one. `recovered`: an earlier session of the peer goes
 * on. `continued`: a compaction had moved the conversation. `reset`: a new session after a deliberate end. `upgraded`:
 * it stood under an older spelling of the key. `reopened`: an accident had ended the session.
 */
export type ResolutionKind = "known" | "created" | "recovered" | "continued" | "reset" | "upgraded" | "reopened";

/** Where a message belongs. */
export interface Resolution {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly entry: RoutingEntry;
  readonly how: ResolutionKind;
  /** The reason of a reset, null otherwise. */
  readonly why: string | null;
  /** False while the storage cannot be asked: the route lives in memory and is stored as soon as it can be. */
  readonly durable: boolean;
}
