import type { Writer } from "@hermes/state-schema";
import type { Clock } from "../clock/clock.js";
import { isStateError } from "../errors/state-error.js";
import { storeClosed } from "../errors/write-errors.js";
import type { PatienceClass } from "../store/context.js";
import { applyEntry } from "./apply-entry.js";
import { drainAtExit, forgetAtExit, isProcessEnding, warnNow, watchExit } from "./exit-hook.js";
import type { ExitDrained } from "./exit-hook.js";
import { mergeEntries } from "./merge-entries.js";
import type { UsageEntry } from "./usage-entry.js";
import { queueEnded, usageLeftOver } from "./usage-errors.js";

/** How long entries gather before they are written, and how soon a busy file is tried again. */
const GATHER_MS = 250;
const RETRY_MS = 5_000;
/** How soon again after a failure that waiting does not cure. */
const RETRY_BROKEN_MS = 30_000;

const STOP_MS = 10_000;
const EXIT_MS = 5_000;

const LOST = "HERMES_STATE_USAGE_LOST";

/** What a queue writes with: the executor of a store, and never the store, which it must not keep alive (COR-04). */
export interface UsageQueueParts {
  readonly path: string;
  readonly clock: Clock;
  write(label: string, fn: (w: Writer) => void, patience: PatienceClass): void;
}

/**
 * Usage on its way to the file. Entries gather for a moment and are written in one transaction; then nothing is left
 * running. There is a timer only while there are entries, and it keeps neither the process nor the store alive.
 *
 * Source of the rule: COR-04.
 */
export class UsageQueue implements ExitDrained {
  readonly #parts: UsageQueueParts;
  readonly #self: WeakRef<UsageQueue>;
  /** Names this queue at the exit hook without keeping it alive. */
  readonly #key = {};
  #entries: UsageEntry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #failure: unknown;
  #dropped = 0;
  #stopped = false;

  constructor(parts: UsageQueueParts) {
    this.#parts = parts;
    this.#self = new WeakRef(this);
    watchExit();
  }

  /** Entries that wait; neighbours of one route count once. */
  get length(): number {
    return this.#entries.length;
  }

  /** Entries that could not be added to anything: auxiliary work of a session that is gone. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Why the last attempt to write failed; undefined since one succeeded. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * Adds an entry, to the last one where both are of one session, task and route.
   *
   * @throws StateError `STATE_E_CLOSED` once the store closes, `STATE_E_SHUTDOWN` once the process ends: an entry that
   * nobody would write is refused.
   */
  add(entry: UsageEntry): void {
    if (this.#stopped) throw storeClosed(this.#parts.path, "queue usage");
    if (isProcessEnding()) throw queueEnded(this.#parts.path);
    const last = this.#entries.at(-1);
    const merged = last && mergeEntries(last, entry);
    if (merged) this.#entries[this.#entries.length - 1] = merged;
    else this.#entries.push(entry);
    drainAtExit(this.#key, this.#self);
    this.#schedule(GATHER_MS);
  }

  /**
   * Writes what waits, trying again while the file is busy.
   *
   * @param timeoutMs - At least one attempt is made, which may wait half a second.
   * @returns Whether nothing waits any more.
   */
  drain(timeoutMs: number): boolean {
    const { clock } = this.#parts;
    const started = clock.monotonicMs();
    while (this.#entries.length > 0) {
      const error = this.#attempt("activity");
      if (error === undefined) break;
      if (!isStateError(error, "STATE_E_BUSY") || clock.monotonicMs() - started >= timeoutMs) return false;
    }
    return true;
  }

  /** Before a read that shows totals: what waits is written if the file is free now. Never fails the read. */
  settleForRead(): void {
    if (this.#entries.length > 0) this.#attempt("activity");
  }

  /**
   * Before a write that changes a route: what waits belongs to the route so far.
   *
   * @throws StateError `STATE_E_BUSY`, as the write itself would. No other failure of accounting stops a write.
   */
  settleForWrite(): void {
    if (this.#entries.length === 0) return;
    const error = this.#attempt("routine");
    if (isStateError(error, "STATE_E_BUSY")) throw error;
  }

  /** Takes no more entries, and writes what waits. What cannot be written within ten seconds is told in a warning. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    if (!this.drain(STOP_MS)) warnNow(LOST, this.#leftOver());
    this.#retire();
  }

  drainAtExit(): void {
    if (!this.drain(EXIT_MS)) warnNow(LOST, this.#leftOver());
    this.#retire();
  }

  #leftOver(): string {
    return usageLeftOver(this.#parts.path, this.#entries.length, this.#failure);
  }

  /** @returns What went wrong; then the entries are still here, for the transaction took none of them. */
  #attempt(patience: PatienceClass): unknown {
    const { path, clock } = this.#parts;
    const entries = this.#entries;
    const place = { path, now: clock.now() };
    let dropped = 0;
    try {
      this.#parts.write(
        "record usage",
        (w) => {
          dropped = 0;
          for (const entry of entries) dropped += applyEntry(w, entry, place) ? 0 : 1;
        },
        patience,
      );
    } catch (error) {
      this.#failure = error;
      return error;
    }
    this.#failure = undefined;
    this.#entries = [];
    this.#dropped += dropped;
    this.#retire();
    return undefined;
  }

  #retire(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    forgetAtExit(this.#key);
  }

  #schedule(ms: number): void {
    if (this.#timer !== undefined) return;
    const self = this.#self;
    this.#timer = setTimeout(() => {
      const queue = self.deref();
      if (queue) queue.#tick();
    }, ms).unref();
  }

  #tick(): void {
    this.#timer = undefined;
    const error = this.#entries.length > 0 ? this.#attempt("activity") : undefined;
    if (error === undefined) return;
    this.#schedule(isStateError(error, "STATE_E_BUSY") ? RETRY_MS : RETRY_BROKEN_MS);
  }
}
