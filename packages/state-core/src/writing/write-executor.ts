import type { SqlValue, Writer } from "@hermes/state-schema";
import type { Clock } from "../clock/clock.js";
import type { Random } from "../clock/random.js";
import type { Connection } from "../connection/connection.js";
import { isEngineBusy } from "../errors/classify-persistence-error.js";
import { isStateError } from "../errors/state-error.js";
import { toStateError } from "../errors/to-state-error.js";
import { nestedWrite, storeBusy, storeQuarantined } from "../errors/write-errors.js";
import type { PatienceClass } from "../store/context.js";
import type { FileGuard } from "./file-guard.js";
import { Housekeeping } from "./housekeeping.js";
import { retriesWithoutIndex } from "./index-damage.js";
import { retryDelayMs } from "./retry-schedule.js";
import type { Patience } from "./retry-schedule.js";
import { TransactionWriter } from "./transaction-writer.js";

const BUSY_TIMEOUT_MS = 1_000;

/** What an executor works with. */
export interface ExecutorParts {
  readonly connection: Connection;
  readonly guard: FileGuard;
  readonly clock: Clock;
  readonly random: Random;
  readonly patience: Patience;
}

/** One write and the time it may take, in milliseconds. */
interface Turn {
  readonly label: string;
  readonly started: number;
  readonly budget: number;
}

/**
 * The one way to write to a store: identity check, BEGIN IMMEDIATE with patience, callback, COMMIT; on an error it is
 * classified once, and the write is retried, retried without a damaged index, refused, or the handle is quarantined.
 *
 * Source of the rule: GND-05, COR-08..COR-11.
 */
export class WriteExecutor {
  readonly #parts: ExecutorParts;
  #running: string | undefined;
  #corruption: unknown;
  #busyTimeoutMs = BUSY_TIMEOUT_MS;
  readonly #housekeeping: Housekeeping;

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
    const { connection, guard } = parts;
    this.#housekeeping = new Housekeeping(connection, guard, (fn) => {
      this.#allow(0);
      return this.#transact(fn);
    });
  }

  /** True once this handle has seen damage or a replaced file: it writes no more, and leaves the log alone at close. */
  get quarantined(): boolean {
    return this.#corruption !== undefined || this.#parts.guard.broken;
  }

  /** Looks at the file once more before the close. @returns {@link quarantined} */
  retire(): boolean {
    try {
      this.#parts.guard.check("close the store");
    } catch {
      // The verdict is kept by the guard; a close has nobody to tell.
    }
    return this.quarantined;
  }

  /** Merges and checkpoints that failed after a durable write (COR-10); the writes themselves stand. */
  get housekeepingFailures(): number {
    return this.#housekeeping.failures;
  }

  /** See {@link StoreContext.write}. */
  write<T>(label: string, fn: (w: Writer) => T, patience: PatienceClass = "routine"): T {
    return this.#persist(
      label,
      patience,
      (leftMs) => this.#commit(label, fn, leftMs),
      (error, turn) => this.#settle(label, fn, error, turn),
    );
  }

  /**
   * Rewrites the file without its free pages, which no transaction can do. A checkpoint before it keeps the log short,
   * one behind it lets the file shrink; both are PASSIVE (COR-02).
   */
  vacuum(label: string): void {
    this.#runAlone(label, "VACUUM", []);
  }

  /**
   * Writes what the store holds into a file of its own, as of one moment.
   *
   * @param target - An empty file, or a name that is free.
   */
  vacuumInto(label: string, target: string): void {
    this.#runAlone(label, "VACUUM INTO ?", [target]);
  }

  #runAlone(label: string, sql: string, params: readonly SqlValue[]): void {
    const { connection, guard } = this.#parts;
    const attempt = (leftMs: number): void => {
      this.#allow(leftMs);
      this.#housekeeping.checkpoint();
      connection.run(sql, params);
      this.#housekeeping.checkpoint();
      guard.remember();
    };
    this.#persist(label, "routine", attempt, (error) => {
      guard.acknowledge();
      return this.#refuse(label, error);
    });
  }

  /** @param attempt - Given the milliseconds left; repeated while the engine is busy. */
  #persist<T>(
    label: string,
    patience: PatienceClass,
    attempt: (leftMs: number) => T,
    settle: (error: unknown, turn: Turn) => T,
  ): T {
    const { connection, clock, guard } = this.#parts;
    if (this.#running !== undefined) throw nestedWrite(connection.path, label, this.#running);
    this.#running = label;
    const turn = { label, started: clock.monotonicMs(), budget: this.#parts.patience[patience] };
    try {
      return this.#patiently(turn, (leftMs) => {
        if (this.#corruption !== undefined) throw storeQuarantined(connection.path, label, this.#corruption);
        guard.check(label);
        try {
          return attempt(leftMs);
        } catch (error) {
          if (isEngineBusy(error)) throw error;
          return settle(error, turn);
        }
      });
    } finally {
      this.#running = undefined;
    }
  }

  /** Repeats an attempt while the engine is busy, within what is left of the turn. */
  #patiently<T>(turn: Turn, attempt: (leftMs: number) => T): T {
    const { clock, connection, random } = this.#parts;
    const { label, started, budget } = turn;
    for (;;) {
      try {
        return attempt(budget - (clock.monotonicMs() - started));
      } catch (error) {
        if (!isEngineBusy(error)) throw error;
        const waited = clock.monotonicMs() - started;
        if (waited >= budget) throw storeBusy(connection.path, label, waited, error);
        clock.sleep(retryDelayMs(waited, budget - waited, random));
      }
    }
  }

  /** One attempt. */
  #commit<T>(label: string, fn: (w: Writer) => T, leftMs: number): T {
    const { connection, guard } = this.#parts;
    this.#allow(leftMs);
    const value = this.#transact((w) => {
      guard.confirm(connection, label);
      const returned = fn(w);
      refusePromise(returned);
      return returned;
    });
    this.#housekeeping.afterCommit();
    return value;
  }

  /** Whatever fails, the transaction is rolled back before the error travels on. */
  #transact<T>(fn: (w: Writer) => T): T {
    const { connection } = this.#parts;
    connection.run("BEGIN IMMEDIATE");
    const writer = new TransactionWriter(connection);
    try {
      const value = fn(writer);
      connection.run("COMMIT");
      return value;
    } catch (error) {
      connection.rollback();
      throw error;
    } finally {
      writer.revoke();
    }
  }

  /**
   * An error that is not a lock: find out once what it means (COR-09). A sibling that takes the index off just now is
   * waited for as in any write.
   */
  #settle<T>(label: string, fn: (w: Writer) => T, error: unknown, turn: Turn): T {
    for (const retry of retriesWithoutIndex(error, fn)) {
      try {
        return this.#patiently(turn, (leftMs) => this.#commit(label, retry, leftMs));
      } catch (second) {
        // Still failing: the fault is not there, and nothing was taken off.
        if (isStateError(second, "STATE_E_BUSY")) throw second;
      }
    }
    return this.#refuse(label, error);
  }

  #refuse(label: string, error: unknown): never {
    const typed = toStateError(error, label, this.#parts.connection.path);
    if (isStateError(typed, "STATE_E_CORRUPT") && !isStateError(error)) {
      this.#corruption = error;
      throw storeQuarantined(this.#parts.connection.path, label, error);
    }
    throw typed;
  }

  /** Lets the engine itself wait for a lock, within what is left. */
  #allow(leftMs: number): void {
    const ms = Math.max(1, Math.min(BUSY_TIMEOUT_MS, Math.ceil(leftMs)));
    if (ms === this.#busyTimeoutMs) return;
    this.#parts.connection.pragma(`busy_timeout=${ms}`);
    this.#busyTimeoutMs = ms;
  }
}

function refusePromise(value: unknown): void {
  if (typeof (value as { then?: unknown } | null | undefined)?.then !== "function") return;
  throw new TypeError(
    "write(): the callback returned a promise. A transaction is synchronous; await before it, not inside it.",
  );
}
