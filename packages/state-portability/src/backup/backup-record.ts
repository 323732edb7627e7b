import { readFileSync } from "node:fs";
import { RECORD_SUFFIX } from "./backup-name.js";

const FORMAT = "hermes-state-backup";
const VERSION = 1;

/** What is known of a backup, in a small file beside it. Moments are REAL seconds since the epoch. */
export interface BackupRecord {
  readonly format: typeof FORMAT;
  readonly version: typeof VERSION;
  /** Name of the backup; a record of another file says nothing. */
  readonly file: string;
  /** Real path of the store. */
  readonly source: string;
  /** The store's own name for this life of its file; null where it has none. */
  readonly generation: string | null;
  readonly schemaVersion: number | null;
  readonly bytes: number;
  /** Of the whole file, in lower-case hex. */
  readonly sha256: string;
  readonly counts: { readonly sessions: number; readonly messages: number };
  readonly createdAtSeconds: number;
  /** When the full check of the copy ended well. */
  readonly verifiedAtSeconds: number;
}

/** A record as it is written. */
export function recordOf(facts: Omit<BackupRecord, "format" | "version">): BackupRecord {
  return { format: FORMAT, version: VERSION, ...facts };
}

function isRecord(value: unknown): value is BackupRecord {
  if (typeof value !== "object" || value === null) return false;
  const { format, version, file, source, bytes, sha256, createdAtSeconds, verifiedAtSeconds, counts } =
    value as Partial<Record<keyof BackupRecord, unknown>>;
  const { sessions, messages } = (counts ?? {}) as Partial<Record<string, unknown>>;
  return (
    format === FORMAT &&
    version === VERSION &&
    typeof file === "string" &&
    typeof source === "string" &&
    typeof sha256 === "string" &&
    [bytes, createdAtSeconds, verifiedAtSeconds, sessions, messages].every((item) => Number.isFinite(item))
  );
}

/**
 * Reads the record beside a backup.
 *
 * @param file - The backup.
 * @returns Undefined when there is none that can be read; whoever it is about is not looked at.
 */
export function readBackupRecord(file: string): BackupRecord | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file + RECORD_SUFFIX, "utf8"));
    return isRecord(value) ? value : undefined;
  } catch {
    // Missing, cut short or of another program: no record.
    return undefined;
  }
}
