import { checkKnownOptions, openStateStore } from "@hermes/state-core";
import type { Clock, Random, StateStore } from "@hermes/state-core";
import { noteInitError } from "../hermes-state/last-init-error.js";
import { peerRow } from "./rows.js";
import type { RowSpelling } from "./rows.js";

/** How to open the one-object store. */
export interface SessionDbOptions {
  /** Never writes and never creates. Default false. */
  readonly readOnly?: boolean;
  /** Keys of returned rows: "camel" as in this stack (the default), "peer" as the columns of the file are named. */
  readonly rows?: RowSpelling;
  /** The folder of the default path. */
  readonly home?: string;
  readonly clock?: Clock;
  readonly random?: Random;
}

const KNOWN = ["readOnly", "rows", "home", "clock", "random"];

function spelling(rows: unknown): RowSpelling {
  if (rows === undefined || rows === "camel") return "camel";
  if (rows === "peer") return "peer";
  throw new TypeError(`SessionDB: rows must be "camel" or "peer", not ${JSON.stringify(rows)}.`);
}

function open(path: string | undefined, options: SessionDbOptions): StateStore {
  const { readOnly = false, rows: _rows, ...rest } = options;
  try {
    const store = openStateStore({ ...rest, ...(path !== undefined && { path }), mode: readOnly ? "read" : "write" });
    noteInitError(undefined);
    return store;
  } catch (error) {
    noteInitError(error);
    throw error;
  }
}

/** A store that is one object: what all its parts share. */
export abstract class SessionDbBase implements Disposable {
  /** Path of the database. */
  readonly dbPath: string;
  /** The store behind, with its parts: what this facade does not have is there. */
  readonly store: StateStore;
  readonly #spelling: RowSpelling;

  /**
   * @param path - Default: `defaultStatePath()`, computed now. Or a store that is open, which is this object's then.
   * @throws What opening a store throws; the reason is kept for `getLastInitError()`.
   */
  constructor(path?: string | StateStore, options: SessionDbOptions = {}) {
    checkKnownOptions("SessionDB", options, KNOWN);
    this.#spelling = spelling(options.rows);
    this.store = typeof path === "object" ? path : open(path, options);
    this.dbPath = this.store.path;
  }

  /** Closes the store. Idempotent. */
  close(): void {
    this.store.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Whether rows have the keys of the file. */
  protected get peerRows(): boolean {
    return this.#spelling === "peer";
  }

  /** A row in the spelling that was asked for; null where there is none. */
  protected row<T extends object>(row: T): T {
    return this.#spelling === "peer" ? (peerRow(row) as T) : row;
  }

  /** Rows in the spelling that was asked for. */
  protected rows<T extends object>(rows: Iterable<T>): T[] {
    return Array.from(rows, (row) => this.row(row));
  }
}
