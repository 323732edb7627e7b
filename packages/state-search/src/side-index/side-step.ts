import type { SideRow } from "./gather.js";
import type { SideState } from "./side-state.js";

/** A step from one state of the side index to the next. */
export interface SideStep {
  /** The state it builds on; undefined for a file that holds nothing of use. */
  readonly revision: number | undefined;
  readonly state: SideState;
  readonly rows: readonly SideRow[];
  /** Ids that may have changed and have not been looked at again; they replace what was noted before. */
  readonly changed: readonly number[];
  /** Nothing remains to be done. */
  readonly done: boolean;
  readonly looked: number;
}
