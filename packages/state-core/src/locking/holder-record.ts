import { fstatSync, ftruncateSync, readSync, writeSync } from "node:fs";
import type { Clock } from "../clock/clock.js";
import { processStart } from "./process-start.js";

/** What a holder of a kernel lock leaves in the lock file while it holds it; the peer reads and writes the same. */
export interface HolderRecord {
  /** REAL seconds since the epoch. */
  readonly acquired_at: number;
  readonly pid: number;
  /** Kernel ticks at which the process started; null where there is no process table. */
  readonly start_ticks: number | null;
}

const LONGEST_RECORD = 4096;

/** Writes the record of this process, keys in order. */
export function writeRecord(descriptor: number, clock: Clock): void {
  const record: HolderRecord = {
    acquired_at: clock.now(),
    pid: process.pid,
    start_ticks: processStart(process.pid) ?? null,
  };
  ftruncateSync(descriptor, 0);
  writeSync(descriptor, JSON.stringify(record), 0);
}

/** Blanks the record: what is found in a lock file afterwards belongs to somebody else, or to an abnormal end. */
export function blankRecord(descriptor: number): void {
  ftruncateSync(descriptor, 0);
}

/** The record of an open lock file; undefined when it is empty or is none. */
export function readRecord(descriptor: number): HolderRecord | undefined {
  const size = fstatSync(descriptor).size;
  if (size === 0 || size > LONGEST_RECORD) return undefined;
  const bytes = Buffer.alloc(size);
  const length = readSync(descriptor, bytes, 0, size, 0);
  return parseRecord(bytes.toString("utf8", 0, length));
}

function parseRecord(text: string): HolderRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Half written, or not ours: it names no holder.
    return undefined;
  }
  const { acquired_at, pid, start_ticks } = (value ?? {}) as Partial<Record<keyof HolderRecord, unknown>>;
  if (typeof acquired_at !== "number" || typeof pid !== "number" || !Number.isSafeInteger(pid)) return undefined;
  return { acquired_at, pid, start_ticks: Number.isSafeInteger(start_ticks) ? (start_ticks as number) : null };
}

/**
 * True when the recorded process is gone for certain: no process has its id, or the one that has it started at another
 * time. Whatever cannot be known is not proof (SEA-09).
 */
export function isProvablyDead(record: HolderRecord | undefined): boolean {
  if (record === undefined || record.pid <= 0 || record.start_ticks === null) return false;
  try {
    process.kill(record.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
  const started = processStart(record.pid);
  return started !== undefined && started !== record.start_ticks;
}
