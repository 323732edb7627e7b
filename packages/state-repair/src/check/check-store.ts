import { checkKnownOptions, isStateError, systemClock } from "@hermes/state-core";
import type { Clock, ProgressOptions } from "@hermes/state-core";
import { runStepsApart } from "../steps/run-steps.js";
import { connectionSteps } from "./check-connection.js";
import type { CheckFinding, CheckLevel, CheckOutcome, CheckReport } from "./check-report.js";
import { engineTrouble, messageOf } from "./engine-error.js";
import { choosePlace } from "./file/choose-place.js";
import type { CheckPlace } from "./file/choose-place.js";
import { lookAtFile } from "./file/look-at-file.js";
import { openSession } from "./file/open-session.js";
import { NoCopy } from "./file/private-copy.js";
import { finding } from "./findings.js";

/** How to check a store. */
export interface CheckOptions extends ProgressOptions {
  /** Default `quick`. */
  readonly level?: CheckLevel;
  readonly clock?: Clock;
}

const OPTION_NAMES = ["level", "clock", "onProgress", "signal"] as const;
const LEVELS: readonly unknown[] = ["glance", "quick", "full"];
const EVERYTHING = "everything";

/**
 * Says truthfully whether a store is sound (REP-01): pages, schema, rows, search indexes, and whether a message could
 * be written. No byte of the file, its log or its journal changes, and nothing new stays beside it. Live writers go on;
 * they wait for a rehearsed write at most.
 *
 * @param path - The database file; it need not exist.
 * @returns What was found, what was looked at and what was not. A file that is not there yet is healthy.
 * @throws TypeError for unknown options; the signal's reason; STATE_E_DRIVER_UNAVAILABLE
 * @example
 * ```ts
 * const { verdict, findings, notChecked } = await checkStore("state.db", { level: "full" });
 * ```
 */
export async function checkStore(path: string, options: CheckOptions = {}): Promise<CheckReport> {
  checkKnownOptions("checkStore", options, OPTION_NAMES);
  const { level = "quick", clock = systemClock } = options;
  if (!LEVELS.includes(level))
    throw new RangeError(`checkStore: level is one of ${LEVELS.join(", ")}, not ${JSON.stringify(level)}.`);
  const look = lookAtFile(path, clock);
  switch (look.kind) {
    case "missing":
      return { level, verdict: "healthy", findings: [], checked: [], notChecked: [], path, exists: false };
    case "new":
      return { ...without(level, "healthy", finding("new-store", path, "The file is empty.")), path, exists: true };
    case "refused":
      return { ...without(level, look.known ? "damaged" : "unknown", look.finding), path, exists: true };
    case "database":
      return { ...(await checkDatabase(look.path, level, options)), path, exists: true };
  }
}

/** The answer about a file that the engine does not get to see. */
function without(level: CheckLevel, verdict: CheckOutcome["verdict"], found: CheckFinding): CheckOutcome {
  const notChecked = verdict === "healthy" ? [] : [EVERYTHING];
  return { level, verdict, findings: [found], checked: [], notChecked };
}

async function checkDatabase(path: string, level: CheckLevel, options: CheckOptions): Promise<CheckOutcome> {
  try {
    return await lookThrough(path, level, options);
  } catch (error) {
    if (engineTrouble(error) === "damage") {
      return without(
        level,
        "damaged",
        finding("schema-unreadable", path, `The file cannot be read: ${messageOf(error)}.`),
      );
    }
    if (!(error instanceof NoCopy) && !isAccessTrouble(error)) throw error;
    return without(level, "unknown", finding("not-looked-at", path, `${messageOf(error)}.`));
  }
}

/** The engine, the system or this process itself keeps the file from being looked at; nothing is known about it. */
function isAccessTrouble(error: unknown): boolean {
  if (isStateError(error)) return error.code === "STATE_E_LIVE_CONNECTION" || error.code === "STATE_E_OFFLINE_IN_USE";
  return engineTrouble(error) !== undefined || (error as { syscall?: unknown } | null)?.syscall !== undefined;
}

async function lookThrough(path: string, level: CheckLevel, options: CheckOptions): Promise<CheckOutcome> {
  const place = choosePlace(path);
  try {
    return await lookAt(path, place, level, options);
  } catch (error) {
    // An interrupted transaction waits for somebody to finish it, which a check must not do to the file itself.
    if (engineTrouble(error) !== "journal" || place === "copy") throw error;
    const outcome = await lookAt(path, "copy", level, options);
    const detail = "An interrupted transaction waits to be rolled back; a copy was looked at.";
    return { ...outcome, findings: [...outcome.findings, finding("hot-journal", path, detail)] };
  }
}

async function lookAt(
  path: string,
  place: CheckPlace,
  level: CheckLevel,
  options: CheckOptions,
): Promise<CheckOutcome> {
  using session = await openSession(path, place, options);
  const { r, writer, shared } = session;
  return await runStepsApart(connectionSteps(r, { level, writer, shared }), options);
}
