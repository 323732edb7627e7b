import {
  FTS_TABLE,
  META_KEYS,
  probeCapabilities,
  probeSchema,
  readIndexState,
  readSchemaVersion,
} from "@hermes/state-schema";
import type { Reader } from "@hermes/state-schema";
import type { StoreStats } from "./store-stats.js";

type FileStats = Omit<StoreStats, "path" | "exists" | "holdersCount" | "walSizeBytes">;

const TABLES = "SELECT name FROM main.sqlite_master WHERE type = 'table'";
const META = "SELECT value AS n FROM state_meta WHERE key = ?";

/** Everything a connection tells about its file, each fact asked on its own. */
export function readStats(r: Reader): FileStats {
  const pageCount = numberOf(r, "SELECT page_count AS n FROM pragma_page_count");
  const pageSize = numberOf(r, "SELECT page_size AS n FROM pragma_page_size");
  const capabilities = attempt(() => probeCapabilities(r));
  const highWater = numberOf(r, META, META_KEYS.ftsRebuildHighWater.key);
  const progress = numberOf(r, META, META_KEYS.ftsRebuildProgress.key);
  return {
    pageCount,
    pageSize,
    freelistCount: numberOf(r, "SELECT freelist_count AS n FROM pragma_freelist_count"),
    logicalSizeBytes: pageCount === null || pageSize === null ? null : pageCount * pageSize,
    journalMode: attempt(() => String(r.tuples<[string]>("PRAGMA journal_mode")[0]?.[0])),
    schemaVersion: attempt(() => readSchemaVersion(r)),
    sqliteVersion: attempt(() => r.get<{ version: string }>("SELECT sqlite_version() AS version")?.version),
    schemaCurrent: attempt(() => probeSchema(r).current),
    capabilities,
    index: attempt(() => capabilities && readIndexState(r, capabilities)),
    messages: numberOf(r, "SELECT count(1) AS n FROM messages"),
    sessions: numberOf(r, "SELECT count(1) AS n FROM sessions"),
    ftsTables: attempt(() => searchTables(r)),
    ftsStorageVersion: numberOf(r, META, META_KEYS.ftsStorageVersion.key),
    ftsRebuildPending: attempt(() => highWater !== null && (progress ?? -1) < highWater),
    ftsRebuildHighWater: highWater,
    ftsRebuildProgress: progress,
  };
}

/** From the schema and never by asking the index itself, which damage of it would make fail. */
function searchTables(r: Reader): NonNullable<StoreStats["ftsTables"]> {
  const names = new Set(r.all<{ name: string }>(TABLES).map(({ name }) => name));
  return {
    messages_fts: names.has(FTS_TABLE.word),
    messages_fts_trigram: names.has(FTS_TABLE.trigram),
    messages_fts_cjk: names.has(FTS_TABLE.cjk),
  };
}

function numberOf(r: Reader, sql: string, key?: string): number | null {
  return attempt(() => {
    const row = r.get<{ n: unknown }>(sql, key === undefined ? [] : [key]);
    const value = Number(row?.n);
    return row === undefined || row.n === null || Number.isNaN(value) ? undefined : value;
  });
}

function attempt<T>(ask: () => T | null | undefined): T | null {
  try {
    return ask() ?? null;
  } catch {
    // A fact of its own: what cannot be read is unknown, and the others go on.
    return null;
  }
}
