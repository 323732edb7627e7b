import { planReadOverlay, probeCapabilities } from "@hermes/state-schema";
import type { Reader } from "@hermes/state-schema";
import { guardTestIsolation } from "../config/isolation-guard.js";
import { canonicalPath } from "../connection/live-connections.js";
import { openReader } from "../connection/open-reader.js";
import { openWriter } from "../connection/open-writer.js";
import { prepareForReading, prepareForWriting } from "../connection/prepare-file.js";
import { storeMissing } from "../errors/open-errors.js";
import { toStateError } from "../errors/to-state-error.js";
import { fileIdentity } from "../files/file-identity.js";
import { ReadPool } from "../reading/read-pool.js";
import { UsageQueue } from "../usage/usage-queue.js";
import type { ResolvedOptions } from "./open-options.js";
import type { StoreFacts } from "./state-store.js";
import { StoreResources } from "./store-resources.js";

/** What a store is made of once its file is open. */
export interface OpenedParts {
  readonly facts: StoreFacts;
  readonly resources: StoreResources;
}

/** Opens everything a store needs, or nothing: a failure closes what was opened before it. */
export function openParts(options: ResolvedOptions): OpenedParts {
  prepareFile(options);
  return openPrepared(options);
}

/** Everything that is checked and created before SQLite sees the file; it may open descriptors, so it comes first. */
export function prepareFile(options: ResolvedOptions): void {
  guardTestIsolation(options.path);
  guardTestIsolation(canonicalPath(options.path));
  if (options.mode === "read") {
    prepareForReading(options.path, options.clock);
    return;
  }
  options.driver.load?.();
  prepareForWriting(options.path, options.clock);
}

/** As {@link openParts}, for a file that {@link prepareFile} has passed. */
export function openPrepared(options: ResolvedOptions): OpenedParts {
  return options.mode === "read" ? openForReading(options) : openForWriting(options);
}

function openForWriting(options: ResolvedOptions): OpenedParts {
  const { clock, random, driver } = options;
  const writer = openWriter(options);
  const { path } = writer.connection;
  const pool = new ReadPool(path, () => openReader({ path, driver, clock, random }));
  const { executor, sqliteVersion, journalMode } = writer;
  const usage = new UsageQueue({ path, clock, write: (label, fn, patience) => executor.write(label, fn, patience) });
  const { capabilities } = writer.schema;
  const { identity } = writer.guard;
  return {
    facts: { path, clock, random, sqliteVersion, journalMode, staleSchema: false, capabilities, identity },
    resources: new StoreResources(pool, writer, usage),
  };
}

function readFacts(r: Reader): Pick<StoreFacts, "sqliteVersion" | "journalMode" | "capabilities"> {
  return {
    sqliteVersion: String(r.get<{ version: string }>("SELECT sqlite_version() AS version")?.version),
    journalMode: String(r.get<{ journal_mode: string }>("PRAGMA journal_mode")?.journal_mode),
    capabilities: probeCapabilities(r),
  };
}

function openForReading(options: ResolvedOptions): OpenedParts {
  const { clock, random, driver } = options;
  const path = canonicalPath(options.path);
  let planned: readonly string[] | undefined;
  const overlay = (r: Reader): readonly string[] => (planned ??= planReadOverlay(r));
  const pool = new ReadPool(path, () => openReader({ path, driver, clock, random, overlay }));
  try {
    const identity = fileIdentity(path);
    if (!identity) throw storeMissing(path);
    const facts = pool.use(readFacts);
    const staleSchema = (planned ?? []).length > 0;
    return {
      facts: { path, clock, random, ...facts, staleSchema, identity },
      resources: new StoreResources(pool),
    };
  } catch (error) {
    pool.close();
    throw toStateError(error, "open the store for reading", path);
  }
}
