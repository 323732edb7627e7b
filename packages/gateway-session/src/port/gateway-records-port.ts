import type {
  Delegation,
  DelegationFields,
  DelegationFilter,
  GatewayBackend,
  GatewayHeartbeat,
  HandoffState,
} from "@hermes/state-core";

/** What gateways write down about themselves and the work they have under way; served by the same engine as routes. */
export interface GatewayRecordsPort {
  /** Says that a gateway is running; the word may be dropped while the storage is busy. */
  beat(backend: GatewayBackend): Promise<void>;
  /** @returns Whether it was recorded as running. */
  endBeat(backendId: string): Promise<boolean>;
  /** Every gateway that did not say that it ended, the last seen first. */
  heartbeats(): Promise<readonly GatewayHeartbeat[]>;

  /** How often in a row the housekeeping of a peer's conversation has failed. */
  hygieneFailures(sessionKey: string): Promise<number>;
  /** @returns The failures in a row, this one among them. */
  countHygieneFailure(sessionKey: string): Promise<number>;
  /** @returns Whether there was a streak to end. */
  clearHygieneFailures(sessionKey: string): Promise<boolean>;

  /** @returns Whether the handoff was asked for by this call; false while one is under way. */
  requestHandoff(sessionId: string, platform: string): Promise<boolean>;
  /** @returns Whether the handoff is this caller's: of any number of claims one is true. */
  claimHandoff(sessionId: string): Promise<boolean>;
  /** @param error - Why it failed; absent when it is done. @returns Whether there was one under way. */
  settleHandoff(sessionId: string, error?: string): Promise<boolean>;
  /** Every handoff that nobody has claimed yet, the oldest session first. */
  pendingHandoffs(): Promise<readonly HandoffState[]>;

  /** Makes a delegation, or changes the given fields of one that is there. */
  saveDelegation(delegationId: string, fields: DelegationFields): Promise<void>;
  findDelegation(delegationId: string): Promise<Delegation | undefined>;
  /** Delegations for which all given conditions hold, the first dispatched first. */
  listDelegations(filter?: DelegationFilter): Promise<readonly Delegation[]>;
  /** @returns Whether there was one. */
  deleteDelegation(delegationId: string): Promise<boolean>;
  /** @returns Whether the delivery of the result is this claim's: of any number of claims one is true. */
  claimDelivery(delegationId: string, claim: string): Promise<boolean>;
  /** @returns Whether the claim still held. */
  markDelivered(delegationId: string, claim: string): Promise<boolean>;
}
