import { mergeableTables, probeCapabilities } from "@hermes/state-schema";
import type { Connection } from "../connection/connection.js";
import type { FileGuard } from "./file-guard.js";
import { mergeIndexPages, resolveMergeBounds } from "./merge-indexes.js";
import type { RunTransaction } from "./merge-indexes.js";

const CHECKPOINT_EVERY = 50;
const MERGE_EVERY = 1_000;
const MERGE_BOUNDS = resolveMergeBounds("housekeeping");

/**
 * What a handle does for its file after a committed write: it remembers the file's look, checkpoints every 50 writes
 * and merges the search indexes a little every 1,000 (SEA-13). Nothing here may fail the write, which is durable
 * already: a caller that saw an error would store the same rows again (COR-10).
 */
export class Housekeeping {
  readonly #connection: Connection;
  readonly #guard: FileGuard;
  readonly #transact: RunTransaction;
  #committed = 0;
  #failures = 0;

  /** @param transact - Runs one write transaction at once, or throws busy without waiting. */
  constructor(connection: Connection, guard: FileGuard, transact: RunTransaction) {
    this.#connection = connection;
    this.#guard = guard;
    this.#transact = transact;
  }

  /** How often something failed; the writes themselves stand. */
  get failures(): number {
    return this.#failures;
  }

  /** Called once after each committed write. */
  afterCommit(): void {
    this.#committed += 1;
    if (this.#committed % MERGE_EVERY === 0) this.#contain(() => this.#merge());
    // A guard that fails here only knows less about the file, and fails closed if that matters.
    this.#contain(() => this.#guard.remember());
    if (this.#committed % CHECKPOINT_EVERY === 0) this.checkpoint();
  }

  /** PASSIVE, as everywhere (COR-02). One that fails, as on a full disk, may have moved some pages all the same. */
  checkpoint(): void {
    const before = this.#failures;
    this.#contain(() => this.#connection.pragma("wal_checkpoint(PASSIVE)"));
    if (this.#failures > before) this.#contain(() => this.#guard.acknowledge());
  }

  #merge(): void {
    const tables = mergeableTables(this.#connection, probeCapabilities(this.#connection));
    for (const table of tables) this.#contain(() => mergeIndexPages(this.#transact, table, MERGE_BOUNDS));
  }

  #contain(fn: () => unknown): void {
    try {
      fn();
    } catch {
      // Counted, not raised.
      this.#failures += 1;
    }
  }
}
