import { setImmediate as nextTurn } from "node:timers/promises";
import type { Progress } from "@hermes/state-core";
import { digestFile } from "../backup/digest-file.js";
import type { FileDigest } from "../backup/digest-file.js";
import { scanAll } from "../import/scan-all.js";
import { MAX_STATE_LINE_BYTES, STATE_IMPORT_LIMITS } from "../limits/import-limits.js";
import { LineReader } from "../lines/line-reader.js";
import { stateJsonlReader } from "../state-jsonl/state-jsonl-reader.js";
import { digestOfIncoming } from "./session-digest.js";
import type { SessionDigest } from "./session-digest.js";

/** What a file says when it is read as an import reads it. */
export interface ReadBack extends FileDigest {
  /** By session, in the order of the file. */
  readonly sessions: ReadonlyMap<string, SessionDigest>;
  /** What an import would refuse, with the line; undefined when it would take everything. */
  readonly problem: string | undefined;
}

/** How to follow the reading, and how to end it. */
export interface ReadBackOptions {
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /** Called at every step; what it throws ends the reading. */
  readonly check: () => void;
}

const STEP = 500;

/**
 * Reads an export with the reader of imports: every line is judged, the counts and the hash of the footer are compared,
 * and every row is decoded again.
 *
 * @throws STATE_E_IMPORT_FORMAT when it is no such file.
 */
export async function readBack(path: string, { onProgress, check }: ReadBackOptions): Promise<ReadBack> {
  const report = (done: number): void => onProgress?.({ phase: "verifying", done, total: undefined });
  const digest = await digestFile(path, "verifying", {}, check);
  using lines = new LineReader(path, MAX_STATE_LINE_BYTES);
  const reader = stateJsonlReader(lines, STATE_IMPORT_LIMITS);
  const scan = await scanAll(reader, undefined, (read) => {
    check();
    report(read);
  });
  const [first] = scan.problems;
  const sessions = new Map<string, SessionDigest>();
  if (first) return { ...digest, sessions, problem: `line ${String(first.line)}: ${first.message}` };
  let rows = 0;
  const onRow = (): void => {
    if ((rows += 1) % STEP === 0) report(rows);
  };
  for (const scanned of scan.sessions) {
    await nextTurn();
    check();
    sessions.set(scanned.id, digestOfIncoming(reader.load(scanned), onRow));
  }
  return { ...digest, sessions, problem: undefined };
}
