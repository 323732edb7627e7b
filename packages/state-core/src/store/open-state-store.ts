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
import { resolveOptions } from "./open-options.js";
import type { OpenOptions, ResolvedOptions } from "./open-options.js";
import { StateStore } from "./state-store.js";
import type { StoreFacts } from "./state-store.js";
import { StoreResources } from "./store-resources.js";

/**
 * Opens the store at a path, creating it when there is none (mode `write`), or reads an existing one (mode `read`).
 *
 * @example
 * ```ts
 * using store = openStateStore({ path: "state.db" });
 * const session = store.sessions.create({ id: "s1", source: "cli" });
 * store.messages.append(session.id, { role: "user", content: "why is the deploy flaky?" });
 * ```
 * @throws TypeError for unknown options. STATE_E_TEST_ISOLATION, STATE_E_NOT_A_FILE, STATE_E_NOT_A_DATABASE,
 * STATE_E_CORRUPT, STATE_E_NOT_ACCESSIBLE, STATE_E_STORE_MISSING, STATE_E_BUSY, STATE_E_DRIVER_UNAVAILABLE; whatever
 * the error, everything that was opened is closed again (COR-03).
 */
export function openStateStore(options: OpenOptions = {}): StateStore {
  const resolved = resolveOptions(options);
  guardTestIsolation(resolved.path);
  guardTestIsolation(canonicalPath(resolved.path));
  return resolved.mode === "read" ? openForReading(resolved) : openForWriting(resolved);
}

function openForWriting(options: ResolvedOptions): StateStore {
  const { clock, random, driver } = options;
  driver.load?.();
  prepareForWriting(options.path, clock);
  const writer = openWriter(options);
  const { path } = writer.connection;
  const pool = new ReadPool(path, () => openReader({ path, driver, clock, random }));
  const { sqliteVersion, journalMode } = writer;
  const { capabilities } = writer.schema;
  return new StateStore(
    {
      path,
      clock,
      random,
      sqliteVersion,
      journalMode,
      staleSchema: false,
      capabilities,
      identity: writer.guard.identity,
    },
    new StoreResources(pool, writer),
  );
}

function readFacts(r: Reader): Pick<StoreFacts, "sqliteVersion" | "journalMode" | "capabilities"> {
  return {
    sqliteVersion: String(r.get<{ version: string }>("SELECT sqlite_version() AS version")?.version),
    journalMode: String(r.get<{ journal_mode: string }>("PRAGMA journal_mode")?.journal_mode),
    capabilities: probeCapabilities(r),
  };
}

function openForReading(options: ResolvedOptions): StateStore {
  const { clock, random, driver } = options;
  prepareForReading(options.path, clock);
  const path = canonicalPath(options.path);
  let planned: readonly string[] | undefined;
  const overlay = (r: Reader): readonly string[] => (planned ??= planReadOverlay(r));
  const pool = new ReadPool(path, () => openReader({ path, driver, clock, random, overlay }));
  try {
    const identity = fileIdentity(path);
    if (!identity) throw storeMissing(path);
    const facts = pool.use(readFacts);
    const staleSchema = (planned ?? []).length > 0;
    return new StateStore(
      { path, clock, random, ...facts, staleSchema, identity },
      new StoreResources(pool, undefined),
    );
  } catch (error) {
    pool.close();
    throw toStateError(error, "open the store for reading", path);
  }
}
