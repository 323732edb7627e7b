import { existsSync } from "node:fs";
import { checkKnownOptions, defaultStatePath, openExtendedStateStore } from "@hermes/state-core";
import type { ExtendedStateStore } from "@hermes/state-core";
import type { AsyncMethods } from "./async-methods.js";
import { publicMethods } from "./public-methods.js";
import type { RowSpelling } from "./rows.js";
import type { ServedCall } from "./serve-session-db.js";
import type { SessionDbOptions } from "./session-db-base.js";
import { SessionDB } from "./session-db.js";

/** How to open the one-object store in a worker; a clock or a source of randomness cannot go there. */
export type AsyncSessionDbOptions = Omit<SessionDbOptions, "clock" | "random"> & {
  /** Takes back calls that have not begun when it fires. */
  readonly signal?: AbortSignal;
};

/** The module that the worker loads; where this one lies depends on what the build shares between entries. */
function servedModule(): URL {
  const beside = new URL("./serve-session-db.js", import.meta.url);
  return existsSync(beside) ? beside : new URL("./session-db/serve-session-db.js", import.meta.url);
}

/** A function stays here: what it is told comes back from the worker. */
function takeListener(args: readonly unknown[]): {
  readonly kept: readonly unknown[];
  readonly listener?: (value: unknown) => void;
} {
  const [options] = args;
  if (typeof options !== "object" || options === null || !("progressCb" in options)) return { kept: args };
  const { progressCb, ...kept } = options;
  if (typeof progressCb !== "function") return { kept: args };
  return { kept: [kept, ...args.slice(1)], listener: progressCb as (value: unknown) => void };
}

type Call = (name: string, args: readonly unknown[]) => Promise<unknown>;

/** How the calls of each object travel; the methods are those of the class. */
const callers = new WeakMap<object, Call>();

function forwarding(name: string): (this: object, ...args: readonly unknown[]) => Promise<unknown> {
  return async function (this: object, ...args) {
    const call = callers.get(this);
    if (!call) throw new TypeError(`AsyncSessionDB.${name} needs its object: call it as db.${name}(...).`);
    return await call(name, args);
  };
}

/** A class with the methods of the other one, each of which hands its arguments on. */
function forwardingClass(): abstract new () => Omit<AsyncMethods, "close"> {
  class Forwarding {
    get [Symbol.toStringTag](): string {
      return "AsyncSessionDB";
    }
  }
  for (const name of publicMethods(SessionDB).filter((method) => method !== "close")) {
    const value = Object.defineProperty(forwarding(name), "name", { value: name });
    Object.defineProperty(Forwarding.prototype, name, { value, writable: true, configurable: true });
  }
  return Forwarding as unknown as abstract new () => Omit<AsyncMethods, "close">;
}

const Base: abstract new () => Omit<AsyncMethods, "close"> = forwardingClass();

/**
 * The whole store as one object whose methods return promises: the same names, parameters and results as `SessionDB`.
 * Everything runs in a worker thread that has the store open, so nothing waits on the event loop, and calls are done in
 * their order (COR-38).
 *
 * @example
 * ```ts
 * await using db = new AsyncSessionDB("state.db", { rows: "peer" });
 * await db.createSession("s1", "cli");
 * ```
 */
export class AsyncSessionDB extends Base implements AsyncDisposable {
  /** Path of the database, as it was given. */
  readonly dbPath: string;
  readonly #opened: Promise<ExtendedStateStore>;
  readonly #rows: RowSpelling;

  /**
   * @param path - Default: `defaultStatePath()`, computed now.
   * @throws TypeError for unknown options. What opening throws, every call rejects with.
   */
  constructor(path?: string, options: AsyncSessionDbOptions = {}) {
    super();
    checkKnownOptions("AsyncSessionDB", options, ["readOnly", "rows", "home", "signal"]);
    const { readOnly = false, rows = "camel", ...rest } = options;
    if (!["camel", "peer"].includes(rows)) {
      throw new TypeError(`AsyncSessionDB: rows must be "camel" or "peer", not ${JSON.stringify(rows)}.`);
    }
    this.#rows = rows;
    this.dbPath = path ?? defaultStatePath(options.home);
    const how = { ...rest, path: this.dbPath, mode: readOnly ? ("read" as const) : ("write" as const) };
    this.#opened = openExtendedStateStore(how, servedModule());
    callers.set(this, (name, args) => this.#call(name, args));
    // Whoever calls a method is told; until then nobody has to be.
    this.#opened.catch(() => undefined);
  }

  /** Waits until the store is open. @returns This. @throws What opening throws. */
  static async open(path?: string, options: AsyncSessionDbOptions = {}): Promise<AsyncSessionDB> {
    const db = new AsyncSessionDB(path, options);
    await db.#opened;
    return db;
  }

  /** Finishes what was asked before, and closes the store. Idempotent. */
  async close(): Promise<void> {
    const opened = await this.#opened.catch(() => undefined);
    await opened?.store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #call(name: string, args: readonly unknown[]): Promise<unknown> {
    const { kept, listener } = takeListener(args);
    const call: ServedCall = { rows: this.#rows, args: kept, tells: listener !== undefined };
    return await (await this.#opened).call(name, [call], listener);
  }
}
