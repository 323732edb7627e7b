import type { Clock } from "../clock/clock.js";
import { systemClock } from "../clock/clock.js";
import { systemRandom } from "../clock/random.js";
import type { Random } from "../clock/random.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import { defaultStatePath } from "../config/default-state-path.js";
import type { JournalChoice } from "../connection/journal-policy.js";
import type { Durability } from "../connection/pragmas.js";
import { betterSqlite3Driver } from "../driver/better-sqlite3-driver.js";
import type { Driver } from "../driver/driver.js";
import { DEFAULT_PATIENCE } from "../writing/retry-schedule.js";
import type { Patience } from "../writing/retry-schedule.js";
import { resolve } from "node:path";

/** How to open a store. Every option has a default; an unknown one is refused. */
export interface OpenOptions {
  /** The database file; default `state.db` in the home, resolved when the call runs (COR-12). */
  readonly path?: string;
  /** Home folder for the default path; default `HERMES_HOME`, else `~/.hermes`. */
  readonly home?: string;
  /** `write` creates the store when there is none; `read` never writes and never creates. Default `write`. */
  readonly mode?: "write" | "read";
  /** What a commit survives; default `full`. */
  readonly durability?: Durability;
  /** Journal mode to aim for; default `wal`. The mode in effect is `store.info().journalMode`. */
  readonly journal?: JournalChoice;
  /** Milliseconds a write of each class may wait for the file: 20,000, 60,000 and 500. */
  readonly patience?: Partial<Patience>;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly driver?: Driver;
}

/** {@link OpenOptions} with every default filled in. */
export interface ResolvedOptions {
  /** Absolute, as the caller spelt it. */
  readonly path: string;
  readonly mode: "write" | "read";
  readonly durability: Durability;
  readonly journal: JournalChoice;
  readonly patience: Patience;
  readonly clock: Clock;
  readonly random: Random;
  readonly driver: Driver;
}

const KNOWN: readonly (keyof OpenOptions)[] = [
  "path",
  "home",
  "mode",
  "durability",
  "journal",
  "patience",
  "clock",
  "random",
  "driver",
];

function oneOf<T extends string>(name: string, value: unknown, allowed: readonly T[], fallback: T): T {
  if (value === undefined) return fallback;
  if (allowed.includes(value as T)) return value as T;
  throw new TypeError(
    `openStateStore: ${name} must be ${allowed.map((item) => `"${item}"`).join(" or ")}, not ${JSON.stringify(value)}.`,
  );
}

function text(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw new TypeError(`openStateStore: ${name} must be a string, not ${typeof value}.`);
  if (value === "" || value.includes("\0"))
    throw new TypeError(`openStateStore: ${name} must be a non-empty path without NUL.`);
  return value;
}

function pathOf(options: OpenOptions): string {
  const home = text("home", options.home);
  const path = text("path", options.path);
  if (path === undefined) return defaultStatePath(home);
  if (path === ":memory:" || path.startsWith("file:")) {
    throw new TypeError(
      `openStateStore: path ${JSON.stringify(path)} is not a plain file; in-memory and URI names are not supported. ` +
        "Use a file in a temporary folder.",
    );
  }
  return resolve(path);
}

/** An injected part, judged by the methods the store will call on it. */
function part<T extends object>(name: string, value: T | undefined, methods: readonly (keyof T)[], fallback: T): T {
  if (value === undefined) return fallback;
  const missing = methods.find((method) => typeof (value as Partial<T> | null)?.[method] !== "function");
  if (missing === undefined) return value;
  throw new TypeError(`openStateStore: ${name} must be an object with the method ${String(missing)}.`);
}

function patienceOf(given: unknown): Patience {
  checkKnownOptions("openStateStore patience", given, Object.keys(DEFAULT_PATIENCE));
  for (const [name, ms] of Object.entries((given ?? {}) as Record<string, unknown>)) {
    if (typeof ms !== "number" || !Number.isFinite(ms) || ms < 0) {
      throw new RangeError(
        `openStateStore: patience.${name} must be a number of milliseconds, 0 or more, not ${String(ms)}.`,
      );
    }
  }
  return { ...DEFAULT_PATIENCE, ...(given as Partial<Patience> | undefined) };
}

/**
 * Checks options and fills in the defaults. The path is computed now, never at import.
 *
 * @throws TypeError for an unknown or misspelt option, or a value of the wrong type; RangeError for an impossible
 * number.
 */
export function resolveOptions(options: OpenOptions = {}): ResolvedOptions {
  checkKnownOptions("openStateStore", options, KNOWN);
  return {
    path: pathOf(options),
    mode: oneOf("mode", options.mode, ["write", "read"], "write"),
    durability: oneOf("durability", options.durability, ["full", "normal"], "full"),
    journal: oneOf("journal", options.journal, ["wal", "delete"], "wal"),
    patience: patienceOf(options.patience),
    clock: part("clock", options.clock, ["now", "monotonicMs", "sleep"], systemClock),
    random: part("random", options.random, ["next", "hex"], systemRandom),
    driver: part("driver", options.driver, ["open"], betterSqlite3Driver),
  };
}
