import type { OtherHolders } from "@hermes/state-core";
import type { FtsLayout, UnsettledReason } from "@hermes/state-schema";

/** Sizes in pages and bytes; the log is no part of them. */
export interface StorageSizes {
  readonly pagesBefore: number;
  readonly pagesAfter: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** An error in words. */
export interface StorageError {
  readonly code: string;
  readonly message: string;
}

/** The index is whole and of the newest layout. */
export interface StorageOptimized extends StorageSizes {
  readonly ok: true;
  readonly layout: FtsLayout;
  /** Anything but giving pages back was done. */
  readonly upgraded: boolean;
  /** Null: not asked for, or there was nothing to give back. False: it failed, and the index is whole all the same. */
  readonly vacuumed: boolean | null;
  /** Why it was not vacuumed. */
  readonly vacuumError?: StorageError;
}

/** Why a store is not upgraded now. */
export type StorageRefusal = "fts5_unavailable" | "read_only" | "newer_schema" | "held" | UnsettledReason;

/** Nothing is claimed; what was done stays done, and the next run goes on from there. */
export interface StorageNotOptimized extends StorageSizes {
  readonly ok: false;
  readonly reason: StorageRefusal;
  readonly layout: FtsLayout;
  /** With `held`: by whom. */
  readonly holders?: OtherHolders;
  /** What ended the work of a phase, when it was a busy file. */
  readonly error?: StorageError;
}

/** How an upgrade of the storage ended. */
export type StorageReport = StorageOptimized | StorageNotOptimized;
