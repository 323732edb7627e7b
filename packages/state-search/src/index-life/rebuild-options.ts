import type { ProgressOptions } from "@hermes/state-core";
import type { PauseOptions } from "./run-steps.js";

/** How to rebuild the search indexes. */
export interface RebuildOptions extends ProgressOptions, PauseOptions {
  /** Also while other processes have the file open; never while another one rebuilds. Default false. */
  readonly force?: boolean | undefined;
  /** How long another rebuild is waited for, in milliseconds; default 120,000. */
  readonly waitMs?: number | undefined;
}
