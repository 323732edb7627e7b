import type { Writer } from "@hermes/state-schema";
import { conversationKey } from "./conversation-key.js";
import { isProvablyDead } from "./is-provably-dead.js";
import { deleteLease, insertLease, readLease, sweepLeases } from "./lease-rows.js";
import { LEASE_GRACE_SECONDS } from "./lease.js";
import type { Lease, LeaseKind, LeaseRow } from "./lease.js";

/** True when a lease no longer keeps anybody out: its time is over, or its holder is gone for certain. */
export function isReclaimable(row: LeaseRow, now: number): boolean {
  return (row.expiresAtSeconds !== undefined && row.expiresAtSeconds < now) || isProvablyDead(row.holder);
}

/** What a caller wants to claim. */
export interface LeaseRequest {
  readonly kind: LeaseKind;
  /** Of a turn lease any session of the conversation. */
  readonly sessionId: string;
  readonly holder: string;
  readonly ttlSeconds: number;
}

/**
 * Claims a key inside one write transaction: a lease whose time is over or whose holder is dead goes first, one that
 * this holder has already stays as it is (COR-25).
 *
 * @param now - REAL seconds.
 * @returns The lease, or undefined when somebody else has it.
 */
export function acquireLease(w: Writer, request: LeaseRequest, now: number): Lease | undefined {
  const { kind, sessionId, holder, ttlSeconds } = request;
  if (kind === "turn") sweepLeases(w, kind, now - LEASE_GRACE_SECONDS);
  const key = kind === "turn" ? conversationKey(w, sessionId) : sessionId;
  const before = readLease(w, kind, key);
  if (before && isReclaimable(before, now)) deleteLease(w, kind, key, before.holder);
  insertLease(w, kind, key, holder, now, now + ttlSeconds);
  const owner = readLease(w, kind, key);
  if (owner?.holder !== holder) return undefined;
  const { acquiredAtSeconds = now, expiresAtSeconds = now } = owner;
  return { kind, key, holder, acquiredAtSeconds, expiresAtSeconds, ttlSeconds };
}
