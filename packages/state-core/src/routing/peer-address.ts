import { checkText } from "../codec/check-text.js";
import { checkKnownOptions } from "../config/check-known-options.js";

/** Where a peer talks: the platform, and what identifies the conversation there. Absent, null and empty mean none. */
export interface PeerAddress {
  readonly source: string;
  readonly userId?: string | null;
  readonly chatId?: string | null;
  readonly chatType?: string | null;
  readonly threadId?: string | null;
}

/** A peer with the key that the gateway routes it by. */
export interface KeyedPeer extends PeerAddress {
  readonly sessionKey: string;
}

/** What is written down about the peer of a session. */
export interface PeerRecord extends KeyedPeer {
  /** Absent and null keep the stored one. */
  readonly displayName?: string | null;
  /** JSON text of the peer as the gateway saw it; absent and null keep the stored one. */
  readonly originJson?: string | null;
}

const OPTIONAL = ["userId", "chatId", "chatType", "threadId", "displayName", "originJson"] as const;

/**
 * Checks an address.
 *
 * @param required - Keys that must not be empty.
 * @param allowed - Keys that may be there beside those of an address.
 * @throws TypeError.
 */
export function checkPeer(
  what: string,
  peer: PeerAddress & Partial<PeerRecord>,
  required: readonly (keyof PeerRecord)[],
  allowed: readonly (keyof PeerRecord)[] = [],
): void {
  checkKnownOptions(what, peer, [...new Set([...required, "userId", "chatId", "chatType", "threadId", ...allowed])]);
  for (const key of required) checkText(`${what}: ${key}`, peer[key]);
  for (const key of OPTIONAL) {
    const value: unknown = peer[key];
    if (value !== undefined && value !== null && typeof value !== "string") {
      throw new TypeError(`${what}: ${key} must be a string, not ${typeof value}.`);
    }
  }
}
