import type { GatewayRecordsPort } from "../port/gateway-records-port.js";
import type { AnyStore } from "./any-store.js";

/** Serves what gateways write down from a store. */
export function serveRecords({ routing, handoff, delegations }: AnyStore): GatewayRecordsPort {
  return {
    beat: async (backend) => routing.beat(backend),
    endBeat: async (backendId) => routing.endBeat(backendId),
    heartbeats: async () => routing.heartbeats(),
    hygieneFailures: async (sessionKey) => routing.hygieneFailures(sessionKey),
    countHygieneFailure: async (sessionKey) => routing.countHygieneFailure(sessionKey),
    clearHygieneFailures: async (sessionKey) => routing.clearHygieneFailures(sessionKey),
    requestHandoff: async (sessionId, platform) => handoff.request(sessionId, platform),
    claimHandoff: async (sessionId) => handoff.claim(sessionId),
    async settleHandoff(sessionId, error) {
      return error === undefined ? handoff.complete(sessionId) : handoff.fail(sessionId, error);
    },
    pendingHandoffs: async () => handoff.pending(),
    saveDelegation: async (delegationId, fields) => delegations.save(delegationId, fields),
    findDelegation: async (delegationId) => delegations.find(delegationId),
    listDelegations: async (filter) => delegations.list(filter),
    deleteDelegation: async (delegationId) => delegations.delete(delegationId),
    claimDelivery: async (delegationId, claim) => delegations.claimDelivery(delegationId, claim),
    markDelivered: async (delegationId, claim) => delegations.markDelivered(delegationId, claim),
  };
}
