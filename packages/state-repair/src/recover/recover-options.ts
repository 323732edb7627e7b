import { resolve } from "node:path";
import { checkKnownOptions, systemClock } from "@hermes/state-core";
import type { Clock, ProgressOptions } from "@hermes/state-core";
import { type SpaceProbe, volumeSpace } from "../evidence/space-guard.js";

/** What to recover, and to where. */
export interface RecoverOptions extends ProgressOptions {
  /** The damaged store. It is copied, and only the copy is ever opened. */
  readonly source: string;
  /** A new file; needed unless `inspectOnly`. */
  readonly output?: string | undefined;
  /** Say what could be recovered and write nothing. Default false. */
  readonly inspectOnly?: boolean | undefined;
  /** Keep what is readable when not everything is. Default false: all or nothing. */
  readonly allowPartial?: boolean | undefined;
  /** Folder for the copy; default the folder of the output, and the system's temp folder for an inspection. */
  readonly workDir?: string | undefined;
  /** Rows of one transaction. Default 1000. */
  readonly chunkSize?: number | undefined;
  /** Where the report goes as JSON; default `<output>.recovery.json`, and nowhere for an inspection. */
  readonly reportPath?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Asks for the room on a volume; injected by tests. */
  readonly space?: SpaceProbe | undefined;
}

/** {@link RecoverOptions} with every default filled in and paths made absolute. */
export interface RecoverPlan extends ProgressOptions {
  readonly source: string;
  readonly output: string | undefined;
  readonly allowPartial: boolean;
  readonly workDir: string | undefined;
  readonly chunkSize: number;
  readonly reportPath: string | undefined;
  readonly clock: Clock;
  readonly space: SpaceProbe;
}

const OPTION_NAMES = [
  "source",
  "output",
  "inspectOnly",
  "allowPartial",
  "workDir",
  "chunkSize",
  "reportPath",
  "clock",
  "space",
  "onProgress",
  "signal",
] as const;
const DEFAULT_CHUNK = 1000;
const LARGEST_CHUNK = 100_000;

function chunkOf(size: number | undefined): number {
  const chunk = size ?? DEFAULT_CHUNK;
  if (Number.isInteger(chunk) && chunk >= 1 && chunk <= LARGEST_CHUNK) return chunk;
  throw new RangeError(`recoverStore: chunkSize is a whole number from 1 to ${LARGEST_CHUNK}, not ${String(size)}.`);
}

/** @throws TypeError or RangeError for options that cannot be meant. */
export function planRecovery(options: RecoverOptions): RecoverPlan {
  checkKnownOptions("recoverStore", options, OPTION_NAMES);
  const { source, output, inspectOnly = false, allowPartial = false } = options;
  if (typeof source !== "string" || source === "") throw new TypeError("recoverStore: source names the damaged file.");
  if (inspectOnly && (output !== undefined || allowPartial))
    throw new TypeError("recoverStore: inspectOnly writes nothing; leave output and allowPartial out.");
  if (!inspectOnly && (output === undefined || output === ""))
    throw new TypeError("recoverStore: output names the new file; or set inspectOnly.");
  const target = output === undefined ? undefined : resolve(output);
  const report = options.reportPath ?? (target === undefined ? undefined : `${target}.recovery.json`);
  return {
    source: resolve(source),
    output: target,
    allowPartial,
    workDir: options.workDir === undefined ? undefined : resolve(options.workDir),
    chunkSize: chunkOf(options.chunkSize),
    reportPath: report === undefined ? undefined : resolve(report),
    clock: options.clock ?? systemClock,
    space: options.space ?? volumeSpace,
    onProgress: options.onProgress,
    signal: options.signal,
  };
}
