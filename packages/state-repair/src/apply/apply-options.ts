import type { Clock, Driver, HolderScan, ProgressOptions } from "@hermes/state-core";
import type { SpaceProbe } from "../evidence/space-guard.js";

/** How to apply a repair. */
export interface ApplyOptions extends ProgressOptions {
  /** Copies the damaged files before anything is changed. Default true; without it there is no way back. */
  readonly backup?: boolean;
  /** Milliseconds to wait while another process repairs the same file. Default 120,000; 0 asks once. */
  readonly lockWaitMs?: number;
  readonly clock?: Clock;
  readonly driver?: Driver;
  /** As `process.platform`; decides about the durability barriers. */
  readonly platform?: string;
  /** Room on the volume; asked of the system when not given. */
  readonly space?: SpaceProbe;
  /** Who has the file open; asked of the system when not given. */
  readonly holders?: (path: string) => HolderScan;
}

/** Names of {@link ApplyOptions}, for refusing others. */
export const APPLY_OPTION_NAMES = [
  "backup",
  "lockWaitMs",
  "clock",
  "driver",
  "platform",
  "space",
  "holders",
  "onProgress",
  "signal",
] as const;
