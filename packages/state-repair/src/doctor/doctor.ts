import { checkKnownOptions, systemClock, throwIfAborted } from "@hermes/state-core";
import type { Clock, ProgressOptions } from "@hermes/state-core";
import type { CheckReport } from "../check/check-report.js";
import { verifyOnStart } from "../check/verify-on-start.js";
import { collectStats } from "../stats/collect-stats.js";
import type { StoreStats } from "../stats/store-stats.js";
import { accessLines } from "./access-lines.js";
import { checkLines } from "./check-lines.js";
import { DOCTOR_LIMITS } from "./doctor-limits.js";
import type { DoctorLimits } from "./doctor-limits.js";
import type { DoctorFix, DoctorLine, DoctorReport } from "./doctor-report.js";
import { fixDamage } from "./fix-damage.js";
import { fixAccess, fixLog, fixModes } from "./fix-files.js";
import { fixIndex, hasUnfinishedIndex } from "./fix-index.js";
import { storeLines } from "./store-lines.js";

/** What the doctor may do. */
export interface DoctorOptions extends ProgressOptions {
  /** Does what is safe: modes, a repair with all its guards, index work that waits, a large log. Default false. */
  readonly fix?: boolean;
  readonly clock?: Clock;
  /** Sizes that are worth a word, where they differ from the usual ones. */
  readonly limits?: Partial<DoctorLimits>;
}

const OPTION_NAMES = ["fix", "clock", "limits", "onProgress", "signal"] as const;

interface Look {
  readonly stats: StoreStats;
  readonly check: CheckReport;
}

/**
 * Tells how a store is, and what to do about it: size, rows, holders, search indexes, modes, and whether it is sound
 * (REP-11). Nothing changes unless `fix` says so, and then only what is safe beside living writers: everything else is
 * refused with its reason.
 *
 * @throws TypeError for unknown options; the signal's reason
 * @example
 * ```ts
 * const { verdict, lines, fixes } = await doctor("state.db", { fix: true });
 * ```
 */
export async function doctor(path: string, options: DoctorOptions = {}): Promise<DoctorReport> {
  checkKnownOptions("doctor", options, OPTION_NAMES);
  const limits = { ...DOCTOR_LIMITS, ...options.limits };
  const first = await lookAt(path, options);
  const lines = first.check.exists ? describe(path, first, limits) : [missing(path)];
  const fixes = options.fix === true && first.check.exists ? await fixAll(path, first, limits, options) : [];
  const { stats, check } = fixes.length === 0 ? first : await lookAt(path, options);
  return { path, exists: check.exists, verdict: check.verdict, lines, fixes, stats, check };
}

async function lookAt(path: string, { clock, onProgress, signal }: DoctorOptions): Promise<Look> {
  throwIfAborted(signal);
  const check = await verifyOnStart(path, { ...(clock && { clock }), onProgress, signal });
  return { check, stats: await collectStats(path) };
}

function describe(path: string, { stats, check }: Look, limits: DoctorLimits): DoctorLine[] {
  return [...storeLines(stats, limits), ...accessLines(path), ...checkLines(check)];
}

function missing(path: string): DoctorLine {
  return {
    level: "note",
    code: "missing",
    text: `There is no store at ${path} yet; the first write makes one.`,
    action: null,
  };
}

/** Access first, since everything else needs it; the log last, since whatever is repaired goes through it. */
async function fixAll(
  path: string,
  first: Look,
  limits: DoctorLimits,
  { clock = systemClock, onProgress, signal }: DoctorOptions,
): Promise<DoctorFix[]> {
  const heard = { clock, onProgress, signal };
  const files = [...fixAccess(path), ...fixModes(path)];
  const { check, stats } = files.length === 0 ? first : await lookAt(path, heard);
  if (check.verdict === "damaged") return [...files, ...(await fixDamage(path, heard))];
  if (check.verdict === "unknown") return files;
  const index = hasUnfinishedIndex(check) ? await fixIndex(path, heard) : [];
  return [...files, ...index, ...fixLog(path, stats, limits)];
}
