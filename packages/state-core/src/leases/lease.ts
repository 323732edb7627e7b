/**
 * What a lease claims: `compression` the compaction of one session, `turn` the next turn of one conversation.
 */
export type LeaseKind = "compression" | "turn";

/** The words of {@link LeaseKind}. */
export const LEASE_KINDS: readonly LeaseKind[] = ["compression", "turn"];

/** How long a lease lasts unless it is refreshed, in seconds. */
export const LEASE_TTL_SECONDS = 300;

/** How long an expired turn lease is kept for an owner that comes back late, in seconds. */
export const LEASE_GRACE_SECONDS = 86_400;

/** A lease that this process took. */
export interface Lease {
  readonly kind: LeaseKind;
  /** The session of a compression lease; the root of the conversation of a turn lease. */
  readonly key: string;
  readonly holder: string;
  /** REAL seconds since the epoch. */
  readonly acquiredAtSeconds: number;
  /** REAL seconds since the epoch. */
  readonly expiresAtSeconds: number;
  readonly ttlSeconds: number;
}

/** A lease as the file holds it, whoever wrote it. A moment that cannot be read is undefined. */
export interface LeaseRow {
  readonly kind: LeaseKind;
  readonly key: string;
  readonly holder: string;
  /** REAL seconds since the epoch. */
  readonly acquiredAtSeconds: number | undefined;
  /** REAL seconds since the epoch. */
  readonly expiresAtSeconds: number | undefined;
}
