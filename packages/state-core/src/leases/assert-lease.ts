import type { Reader, Writer } from "@hermes/state-schema";
import { conversationKey } from "./conversation-key.js";
import { compressionLeaseLost, turnLeaseLost } from "./lease-errors.js";
import { extendLease, readLease } from "./lease-rows.js";
import { LEASE_TTL_SECONDS } from "./lease.js";

/**
 * Checks inside a transaction that a holder has the turn of a session's conversation. A lease whose time is over and
 * that nobody claimed is renewed (COR-25).
 *
 * @param now - REAL seconds.
 * @throws StateError `STATE_E_TURN_LEASE_LOST`; the write must not be tried again.
 */
export function assertTurnLease(w: Writer, sessionId: string, holder: string, now: number): void {
  const key = conversationKey(w, sessionId);
  const row = readLease(w, "turn", key);
  if (row?.holder !== holder) throw turnLeaseLost(sessionId, holder, row);
  if (row.expiresAtSeconds !== undefined && row.expiresAtSeconds > now) return;
  extendLease(w, "turn", key, holder, now + LEASE_TTL_SECONDS);
}

/**
 * Checks inside the publishing transaction that a holder has the unexpired compression lease of a session (COR-24).
 *
 * @param now - REAL seconds.
 * @throws StateError `STATE_E_COMPRESSION_BUSY`.
 */
export function assertCompressionLease(r: Reader, sessionId: string, holder: string | undefined, now: number): void {
  const row = readLease(r, "compression", sessionId);
  const held = row !== undefined && row.holder === holder && (row.expiresAtSeconds ?? 0) > now;
  if (!held) throw compressionLeaseLost(sessionId, holder, row);
}
