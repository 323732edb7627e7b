import type { StoreContext } from "@hermes/state-core";
import {
  type IndexState,
  type PendingBackfill,
  readIndexState,
  readRebuildDeferral,
  type RebuildDeferral,
} from "@hermes/state-schema";

/** How far a backfill is, in ids. */
export interface BackfillStatus {
  readonly indexed: number;
  readonly total: number;
  /** 0 to 100, rounded down. */
  readonly percent: number;
}

/** Why a stale index is still stale. */
export interface DeferralStatus extends RebuildDeferral {
  /** It was put off three times and for a minute at least: whoever runs the machine should know. */
  readonly escalated: boolean;
}

/** What the search indexes of a store can do now. */
export interface IndexStatus extends Omit<IndexState, "pending"> {
  /** Undefined when every row is indexed, or the index is stale. */
  readonly pending: BackfillStatus | undefined;
  readonly deferral: DeferralStatus | undefined;
}

const ESCALATED_ATTEMPTS = 3;
const ESCALATED_SECONDS = 60;

/** The state of a store's search indexes, read on a reader: it never waits for a writer (SEA-08, SEA-11). */
export function indexStatus(store: Pick<StoreContext, "clock" | "info" | "read">): IndexStatus {
  const { capabilities } = store.info();
  const now = store.clock.now();
  return store.read((r) => {
    const { pending, ...state } = readIndexState(r, capabilities);
    const deferral = readRebuildDeferral(r, now);
    return {
      ...state,
      pending: state.stale ? undefined : progressOf(pending),
      deferral: deferral && { ...deferral, escalated: isEscalated(deferral) },
    };
  });
}

function progressOf(pending: PendingBackfill | undefined): BackfillStatus | undefined {
  if (pending === undefined || pending.highWater <= 0) return undefined;
  const total = pending.highWater;
  const indexed = Math.min(Math.max(pending.progress, 0), total);
  return { indexed, total, percent: Math.floor((indexed * 100) / total) };
}

function isEscalated({ attempts, firstSeen, lastSeen }: RebuildDeferral): boolean {
  return attempts >= ESCALATED_ATTEMPTS && lastSeen - firstSeen >= ESCALATED_SECONDS;
}
