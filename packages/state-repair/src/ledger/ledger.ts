import { rmSync, statSync } from "node:fs";
import { canonicalPath, REPAIR_NAME } from "@hermes/state-core";
import type { Clock } from "@hermes/state-core";
import { fingerprintOf } from "../evidence/fingerprint.js";
import { localIso } from "../evidence/local-time.js";
import { readLedger, writeLedger } from "./ledger-file.js";
import type { LedgerRecord } from "./ledger-file.js";

/** Failed passes on one damaged file after which no further one is made (REP-04). */
export const ATTEMPT_LIMIT = 3;

/**
 * How often repair has failed on this very file, across processes. None of its methods throws: what cannot be read or
 * written becomes a warning, and the repair goes on.
 */
export interface Ledger {
  /** The ledger's own file, `<db>.repair-attempts.json`. */
  readonly file: string;
  /** Failed passes recorded for the file as it is now; 0 when it is another one, or nothing is recorded. */
  failedAttempts(): number;
  /** True when the file as it is now has failed as often as it may. */
  exhausted(): boolean;
  /** Counts one more failed pass, under the key of the file as the pass left it. Under the repair lock. */
  recordFailure(): void;
  /** Forgets all attempts: the repair succeeded. Under the repair lock. */
  clear(): void;
  /** What went wrong with the ledger itself, in words; never the database's own trouble. */
  readonly warnings: readonly string[];
}

class FileLedger implements Ledger {
  readonly file: string;
  readonly #path: string;
  readonly #clock: Clock;
  readonly #warnings: string[] = [];

  constructor(path: string, clock: Clock) {
    this.#path = canonicalPath(path);
    this.file = this.#path + REPAIR_NAME.ledger;
    this.#clock = clock;
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  failedAttempts(): number {
    const record = this.#read();
    return record && this.#isOfThisFile(record) ? record.failed_attempts : 0;
  }

  exhausted(): boolean {
    return this.failedAttempts() >= ATTEMPT_LIMIT;
  }

  recordFailure(): void {
    const record = this.#read();
    const current = fingerprintOf(this.#path);
    // A file that is live has no key: the one on record goes on counting, since another shape would start anew.
    const fingerprint = current ?? record?.fingerprint;
    if (fingerprint === undefined) return;
    const before = record?.fingerprint === fingerprint ? record.failed_attempts : 0;
    const last_attempt = localIso(this.#clock.now());
    this.#tolerate("written", () => writeLedger(this.file, { fingerprint, failed_attempts: before + 1, last_attempt }));
  }

  clear(): void {
    this.#tolerate("deleted", () => rmSync(this.file, { force: true }));
  }

  #read(): LedgerRecord | undefined {
    return this.#tolerate("read", () => readLedger(this.file));
  }

  #isOfThisFile(record: LedgerRecord): boolean {
    const current = fingerprintOf(this.#path);
    if (current !== null) return current === record.fingerprint;
    const size = this.#tolerate("compared", () => statSync(this.#path).size);
    return size !== undefined && record.fingerprint.startsWith(`${String(size)}:`);
  }

  #tolerate<T>(doing: string, fn: () => T): T | undefined {
    try {
      return fn();
    } catch (error) {
      // A ledger is a brake, no gate: without it the repair runs, and the report carries the warning.
      const reason = error instanceof Error ? error.message : String(error);
      const warning = `The record of repair attempts ${this.file} could not be ${doing}: ${reason}.`;
      if (!this.#warnings.includes(warning)) this.#warnings.push(warning);
      return undefined;
    }
  }
}

/**
 * Opens the record of failed repair passes of a database; nothing is created.
 *
 * @param path - The database.
 */
export function openLedger(path: string, clock: Clock): Ledger {
  return new FileLedger(path, clock);
}
