import type { Connection } from "./connection.js";

/** Bytes a checkpointed log may keep on disk (COR-02). */
const JOURNAL_SIZE_LIMIT = 64 * 1024 * 1024;

/** A commit that leaves so many frames in the log moves them into the main file, or tries to (COR-01). */
export const CHECKPOINT_FRAMES = 1000;

/** How much of a power cut a commit survives: `full` all of it, `normal` may lose the last commits, never the file. */
export type Durability = "full" | "normal";

/** Settings that do not depend on the file; said out loud, so that no driver default decides (COR-01). */
const COMMON = ["mmap_size=0", "temp_store=DEFAULT", "recursive_triggers=OFF", "trusted_schema=ON"];

/** The writer's settings, in order; `foreign_keys` comes last, right before schema work. */
export function writerPragmas(journalMode: string, durability: Durability, platform: string): string[] {
  const wal = journalMode === "wal";
  return [
    ...(wal ? [`journal_size_limit=${JOURNAL_SIZE_LIMIT}`, `wal_autocheckpoint=${CHECKPOINT_FRAMES}`] : []),
    ...(wal && platform === "darwin" ? ["checkpoint_fullfsync=1"] : []),
    // A rollback journal without full barriers can lose the file itself, and macOS reorders what is not flushed.
    `synchronous=${wal && durability === "normal" && platform !== "darwin" ? "NORMAL" : "FULL"}`,
    "cache_size=-16000",
    ...COMMON,
    "foreign_keys=ON",
  ];
}

/**
 * A reader's settings. Its cache is small, since a process may have several and the operating system holds the file as
 * well: no search and no listing is faster with more.
 */
export const READER_PRAGMAS: readonly string[] = ["cache_size=-2000", ...COMMON, "query_only=ON"];

/** Applies settings one by one. */
export function applyPragmas(connection: Connection, pragmas: readonly string[]): void {
  for (const text of pragmas) connection.pragma(text);
}
