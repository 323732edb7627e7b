import type { ImportFormatName, ImportProblem } from "./import-reader.js";
import type { WantedLink } from "./plan-links.js";

/** What happened to one session of the source. */
export interface ImportItem {
  /** The file, when the source is a folder. */
  readonly file?: string;
  readonly line: number;
  readonly sessionId: string;
  /** `grown`: it was here, and got what is new in its source. */
  readonly outcome: "imported" | "grown" | "replaced" | "skipped" | "failed";
  /** The id it got here, when it is not its own: a copy, or a branch of the one that was here. */
  readonly storedAs?: string;
  readonly messages: number;
  /** Its title was taken here, so it was numbered. */
  readonly renamed?: { readonly from: string; readonly to: string };
  /** Why it failed, or why it was skipped. */
  readonly reason?: string;
}

/** Lists in a report hold at most this many entries; the counts are always exact. */
export const REPORT_LIST_LIMIT = 100;

/** What an import did, or with `dryRun` would do. */
export interface ImportReport {
  /** Of the files that held something; the first one's when a folder holds several kinds. */
  readonly format: ImportFormatName;
  /** Files that were read; 1 unless the source is a folder. */
  readonly files: number;
  readonly dryRun: boolean;
  /** Sessions found whole in the file. */
  readonly found: number;
  readonly imported: number;
  /** Sessions that were here and got what is new in their source. */
  readonly grown: number;
  /** Sessions that took the place of the local ones (mode `replace`). */
  readonly replaced: number;
  /** Sessions that the store has already, and nothing in them is new or wanted. */
  readonly skipped: number;
  /** Items that could not be imported. */
  readonly failed: number;
  readonly messages: number;
  /**
   * Sessions that stand without the parent they name, because it is not here or because the link would close a ring.
   */
  readonly detached: number;
  /** Rows of tables that this store does not have. */
  readonly leftOut: number;
  readonly addedColumns: readonly string[];
  readonly renamed: readonly { readonly sessionId: string; readonly from: string; readonly to: string }[];
  readonly detachedLinks: readonly WantedLink[];
  readonly problems: readonly ImportProblem[];
}

/** The part of a report that one file contributes, and the links that are made when every file is in. */
export type FileImport = Omit<ImportReport, "files" | "detached" | "detachedLinks"> & {
  readonly wanted: readonly WantedLink[];
  readonly planned: ReadonlySet<string>;
};
