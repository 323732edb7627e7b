import type { StoreStats } from "../stats/store-stats.js";
import type { DoctorLimits } from "./doctor-limits.js";
import type { DoctorLine } from "./doctor-report.js";

const MEBIBYTE = 1024 * 1024;
const NEWEST_LAYOUT = 3;

/** What the numbers of a store say: size, rows, search indexes, and what has grown too large. */
export function storeLines(stats: StoreStats, limits: DoctorLimits): DoctorLine[] {
  return [sizeLine(stats), rowsLine(stats), indexLine(stats), ...largeStore(stats, limits), ...largeLog(stats, limits)];
}

const known = (value: number | string | null): string => (value === null ? "unknown" : String(value));

/** Bytes for people: `12.3 MiB`. */
export function mebibytes(bytes: number | null): string {
  return bytes === null ? "unknown" : `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}

const ok = (code: string, text: string): DoctorLine => ({ level: "ok", code, text, action: null });

function sizeLine({ logicalSizeBytes, pageCount, freelistCount, walSizeBytes }: StoreStats): DoctorLine {
  const pages = `${known(pageCount)} pages, ${known(freelistCount)} of them free`;
  return ok("size", `${mebibytes(logicalSizeBytes)} (${pages}), log ${mebibytes(walSizeBytes)}`);
}

function rowsLine({ sessions, messages, journalMode, holdersCount }: StoreStats): DoctorLine {
  const open = holdersCount === null ? "unknown who has it open" : `${holdersCount} processes have it open`;
  return ok("rows", `${known(sessions)} sessions, ${known(messages)} messages, journal ${known(journalMode)}, ${open}`);
}

function indexLine({ ftsTables, ftsStorageVersion, ftsRebuildPending, ...stats }: StoreStats): DoctorLine {
  if (ftsTables === null) return ok("search-index", "search indexes unknown");
  const there = Object.entries(ftsTables).flatMap(([name, present]) => (present ? [name] : []));
  const layout = ftsStorageVersion === null ? "" : `, layout ${ftsStorageVersion}`;
  const progress = `${known(stats.ftsRebuildProgress)} of ${known(stats.ftsRebuildHighWater)}`;
  const pending = ftsRebuildPending === true ? `, filling up (${progress})` : "";
  return ok("search-index", there.length === 0 ? "no search index" : there.join(", ") + layout + pending);
}

function largeStore({ logicalSizeBytes, ...stats }: StoreStats, limits: DoctorLimits): DoctorLine[] {
  if (logicalSizeBytes === null || logicalSizeBytes <= limits.largeStoreBytes) return [];
  const old = (stats.ftsStorageVersion ?? 0) < NEWEST_LAYOUT || stats.ftsRebuildPending === true;
  const also = old ? " The newer search index also takes less room: hermes-state optimize-storage." : "";
  return [
    {
      level: "warning",
      code: "large-store",
      text: `The store takes ${mebibytes(logicalSizeBytes)}.`,
      action: `Remove what is old: hermes-state sessions prune --older-than 90d --dry-run.${also}`,
    },
  ];
}

function largeLog({ walSizeBytes }: StoreStats, limits: DoctorLimits): DoctorLine[] {
  if (walSizeBytes === null || walSizeBytes <= limits.logNoteBytes) return [];
  const warning = walSizeBytes > limits.logWarningBytes;
  return [
    {
      level: warning ? "warning" : "note",
      code: "log",
      text: `The log has grown to ${mebibytes(walSizeBytes)}. It holds committed messages: do not delete it.`,
      action: warning ? "Move it into the store: hermes-state doctor --fix." : null,
    },
  ];
}
