import { readFileSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder, writePrivateFile } from "@hermes/state-core";

/** What the file beside a damaged database says; its shape is shared with the peer (REP-04). */
export interface LedgerRecord {
  readonly fingerprint: string;
  readonly failed_attempts: number;
  /** Local time, ISO, whole seconds. */
  readonly last_attempt: string;
}

function isRecord(value: unknown): value is LedgerRecord {
  if (typeof value !== "object" || value === null) return false;
  const { fingerprint, failed_attempts: attempts } = value as Partial<Record<keyof LedgerRecord, unknown>>;
  return typeof fingerprint === "string" && Number.isSafeInteger(attempts) && (attempts as number) > 0;
}

/**
 * Reads a ledger; undefined when there is none, or none that can be understood: it never blocks a first repair.
 *
 * @throws Error of the system, or SyntaxError, for a file that is there and unreadable.
 */
export function readLedger(file: string): LedgerRecord | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new SyntaxError(`${file} is no ledger of repair attempts`);
  return value;
}

/** Replaces a ledger in one step, readable by its owner only; on disk when this returns. Under the repair lock. */
export function writeLedger(file: string, record: LedgerRecord): void {
  const { fingerprint, failed_attempts, last_attempt } = record;
  const draft = `${file}.tmp`;
  rmSync(draft, { force: true });
  try {
    writePrivateFile(draft, JSON.stringify({ fingerprint, failed_attempts, last_attempt }));
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
}
