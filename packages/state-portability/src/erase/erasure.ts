import type { ProgressOptions } from "@hermes/state-core";
import type { ScannedFile } from "./scan-files.js";

/** How to erase. */
export interface EraseOptions extends ProgressOptions {
  /** The whole conversation of each session, through all its compactions. Default false. */
  readonly includeLineage?: boolean;
  /** What was shown to the user: when something else would go now, nothing does. */
  readonly expected?: readonly string[];
  /** A folder with transcripts and request dumps of sessions; theirs are deleted, and not overwritten. */
  readonly files?: string;
  /** Delete the rows although others have the store open; their log keeps bytes, so that the proof stays open. */
  readonly whileHeld?: boolean;
}

/** What an erasure did, and what the bytes of the files say now. */
export interface ErasureProof {
  readonly path: string;
  /** Every session that went, delegates among them. */
  readonly sessions: readonly string[];
  readonly messages: number;
  readonly delegations: number;
  /** Distinct samples and words that were looked for; 0 when nothing that went differs from what stays. */
  readonly canaries: number;
  /** Cells of which nothing was looked for, since only so many samples are held: 0 below a million messages or so. */
  readonly unsampled: number;
  /** An erasure that had ended before its proof was gone on with; of its sessions only those asked for are named. */
  readonly resumed: boolean;
  readonly files: readonly ScannedFile[];
  /** Every file was read whole, and none holds a canary. */
  readonly clean: boolean;
  /** Why the proof is open although the rows are gone; null when it is not. */
  readonly pending: string | null;
  /** What was done, in order. */
  readonly steps: readonly string[];
  /** Copies that were not touched and may hold what was erased. */
  readonly untouched: readonly string[];
}
