import type { ImportProblem, ImportReader, ScannedSession } from "./import-reader.js";
import { REPORT_LIST_LIMIT } from "./import-report.js";
import { pause } from "./pause.js";

const STEPS_PER_PAUSE = 512;

/** What the first pass found. */
export interface ScanResult {
  readonly sessions: readonly ScannedSession[];
  readonly problems: readonly ImportProblem[];
  readonly problemCount: number;
}

/** Runs the first pass, which judges every line and writes nothing. */
export async function scanAll(
  reader: ImportReader,
  signal: AbortSignal | undefined,
  onStep?: (lines: number) => void,
): Promise<ScanResult> {
  const sessions: ScannedSession[] = [];
  const problems: ImportProblem[] = [];
  let problemCount = 0;
  let steps = 0;
  for (const event of reader.scan()) {
    if (event.kind === "session") sessions.push(event.session);
    else if (event.kind === "step") steps += 1;
    else {
      problemCount += 1;
      if (problems.length < REPORT_LIST_LIMIT) problems.push(event.problem);
    }
    if (event.kind !== "step" || steps % STEPS_PER_PAUSE !== 0) continue;
    onStep?.(steps);
    await pause(signal, 0);
  }
  return { sessions, problems, problemCount };
}
