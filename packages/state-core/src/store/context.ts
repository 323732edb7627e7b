import type { Reader, Writer } from "@hermes/state-schema";
import type { Clock } from "../clock/clock.js";
import type { Random } from "../clock/random.js";
import type { StoreInfo } from "./store-info.js";

/**
 * How long a write may wait for the file (GND-05): `routine` 20 s, `transcript` 60 s for messages and session rows,
 * `activity` 0.5 s for heartbeats that may be dropped.
 */
export type PatienceClass = "routine" | "transcript" | "activity";

/** What every part of a store shares: the only way to the database, and what was injected. */
export interface StoreContext {
  /** Real path of the main file. */
  readonly path: string;
  readonly readonly: boolean;
  readonly clock: Clock;
  readonly random: Random;
  info(): StoreInfo;
  /**
   * Runs `fn` on a read connection, never on the writer (COR-05), on one snapshot: everything committed before the
   * call is visible, and nothing that is committed during it. The reader is valid only inside `fn`; `fn` is
   * synchronous and returns plain values.
   */
  read<T>(fn: (r: Reader) => T): T;
  /**
   * Runs `fn` inside one BEGIN IMMEDIATE transaction and commits, or rolls back on any throw. While the file is busy
   * the whole of `fn` runs again, so it must be safe to repeat: no side effects outside the transaction.
   *
   * @param label - What the write is, in a few words; it appears in errors and traces.
   */
  write<T>(label: string, fn: (w: Writer) => T, patience?: PatienceClass): T;
  /**
   * Writes queued usage (COR-04) before something that must not overtake it: call it outside of `read` and `write`.
   *
   * @param before - `read`: what follows shows totals; a busy file is not waited for. `write`: what follows changes
   * the route or the row that queued usage belongs to; a busy file is an error, as it would be for the write itself.
   */
  settleUsage(before: "read" | "write"): void;
}
