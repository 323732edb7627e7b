import type { Delegation, GatewayHeartbeat, HandoffState } from "@hermes/state-core";
import type { GatewayRecordsPort } from "../../src/index.js";
import type { MemoryTables } from "./memory-tables.js";

const NO_DELEGATION: Partial<Delegation> = { deliveryState: "pending", deliveryAttempts: 0, deliveryClaim: null };

/** What gateways write down, in memory. */
export function memoryRecords(tables: MemoryTables, now: () => number): GatewayRecordsPort {
  const { beats, streaks, handoffs, delegations, sessions } = tables;
  return {
    async beat({ backendId, pid = 0, startedAtSeconds, profile = "", host = "" }) {
      const beat: GatewayHeartbeat = {
        backendId,
        pid,
        startedAtSeconds,
        profile,
        host,
        lastHeartbeatSeconds: now(),
        damaged: [],
      };
      beats.set(backendId, beat);
    },
    endBeat: async (backendId) => beats.delete(backendId),
    async heartbeats() {
      return [...beats.values()].sort((a, b) => (b.lastHeartbeatSeconds ?? 0) - (a.lastHeartbeatSeconds ?? 0));
    },
    hygieneFailures: async (key) => streaks.get(key) ?? 0,
    async countHygieneFailure(key) {
      streaks.set(key, (streaks.get(key) ?? 0) + 1);
      return streaks.get(key)!;
    },
    clearHygieneFailures: async (key) => streaks.delete(key),
    async requestHandoff(sessionId, platform) {
      const state = handoffs.get(sessionId)?.state ?? null;
      if (!sessions.has(sessionId) || state === "pending" || state === "running") return false;
      handoffs.set(sessionId, { sessionId, platform, state: "pending", error: null });
      return true;
    },
    async claimHandoff(sessionId) {
      const found = handoffs.get(sessionId);
      if (found?.state !== "pending") return false;
      handoffs.set(sessionId, { ...found, state: "running" });
      return true;
    },
    async settleHandoff(sessionId, error) {
      const found = handoffs.get(sessionId);
      if (!found || (found.state !== "pending" && found.state !== "running")) return false;
      const settled: HandoffState = {
        ...found,
        state: error === undefined ? "completed" : "failed",
        error: error ?? null,
      };
      handoffs.set(sessionId, settled);
      return true;
    },
    pendingHandoffs: async () => [...handoffs.values()].filter(({ state }) => state === "pending"),
    async saveDelegation(delegationId, fields) {
      const before = delegations.get(delegationId) ?? { ...NO_DELEGATION, delegationId };
      delegations.set(delegationId, { ...before, ...fields });
    },
    findDelegation: async (id) => delegations.get(id) as Delegation | undefined,
    async listDelegations(filter = {}) {
      const wanted = Object.entries(filter) as [keyof Delegation, unknown][];
      const found = [...delegations.values()].filter((one) => wanted.every(([key, value]) => one[key] === value));
      return found.sort((a, b) => (a.dispatchedAtSeconds ?? 0) - (b.dispatchedAtSeconds ?? 0)) as Delegation[];
    },
    deleteDelegation: async (id) => delegations.delete(id),
    async claimDelivery(id, claim) {
      const found = delegations.get(id);
      if (found?.deliveryState !== "pending" || found.deliveryClaim) return false;
      delegations.set(id, { ...found, deliveryClaim: claim, deliveryAttempts: (found.deliveryAttempts ?? 0) + 1 });
      return true;
    },
    async markDelivered(id, claim) {
      const found = delegations.get(id);
      if (found?.deliveryClaim !== claim) return false;
      delegations.set(id, { ...found, deliveryState: "delivered", deliveryClaim: null });
      return true;
    },
  };
}
