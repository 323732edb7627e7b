import type { Clock, ProgressOptions } from "@hermes/state-core";
import type { FilePart } from "./file-parts.js";
import type { SpaceProbe } from "./space-guard.js";

/** How to take a bundle. */
export interface BundleOptions extends ProgressOptions {
  readonly clock: Clock;
  /** Room on the volume; asked of the system when not given. */
  readonly space?: SpaceProbe;
  /** Moves one file to its final name; injected so that each step can fail in a test. */
  readonly rename?: (from: string, to: string) => void;
}

/** A bundle on disk: `taken` now, or `kept` because an earlier one holds the same bytes. */
export interface ForensicBundle {
  readonly kind: "taken" | "kept";
  /** Main file of the bundle; its sidecars stand beside it. */
  readonly path: string;
  /** Suffixes of the sidecars it holds. */
  readonly sidecars: readonly string[];
  readonly bytes: number;
  /** The database's own files as they were when they were copied or compared. */
  readonly source: readonly FilePart[];
}

/** No bundle, so no surgery. Nothing of a bundle is left on disk. */
export interface BundleRefusal {
  readonly kind: "refused";
  /**
   * - `live`: this process has the database open;
   * - `missing`: there is no such file;
   * - `changed`: it was written to while it was copied;
   * - `space`: not enough room, or nobody can say how much;
   * - `failed`: copying or publishing failed.
   */
  readonly reason: "live" | "missing" | "changed" | "space" | "failed";
  /** Whether the pass spends one of the attempts on this file (REP-03): a full or failing volume does. */
  readonly countsAsPass: boolean;
  /** In words, with the next action. */
  readonly message: string;
  readonly freeBytes: number | undefined;
  readonly neededBytes: number | undefined;
  readonly headroomBytes: number | undefined;
  readonly cause: unknown;
}

/** What {@link takeForensicBundle} answers. */
export type BundleResult = ForensicBundle | BundleRefusal;
