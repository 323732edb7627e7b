/**
 * How far a check looks.
 *
 * - `glance`: the header, the schema and a few rows, whatever the size of the file;
 * - `quick`: also walks every page, compares ids with the search indexes and samples words;
 * - `full`: also compares every index entry and every term, and reads every row.
 */
export type CheckLevel = "glance" | "quick" | "full";

/** `unknown` when something that decides could not be looked at, and nothing else was found damaged. */
export type CheckVerdict = "healthy" | "damaged" | "unknown";

/**
 * - `damage` decides the verdict;
 * - `rebuild`: a search index disagrees with the linked library or with rows that moved, while rows and searches are
 *   right; making the index again ends it;
 * - `note`: a difference of capability, age or state that harms nobody's rows.
 */
export type CheckSeverity = "damage" | "rebuild" | "note";

/** What a finding concerns, from the file as a whole down to what can always be made again from the rows. */
export type CheckArea = "file" | "schema" | "rows" | "btree-index" | "search-index";

/** One thing a check found. */
export interface CheckFinding {
  readonly severity: CheckSeverity;
  /** Stable name: one of `FINDINGS`. */
  readonly code: string;
  readonly area: CheckArea;
  /** Table, index or file it concerns. */
  readonly object: string;
  readonly detail: string;
  /** What to do next, in one sentence. */
  readonly action: string;
}

/** What a check of an open connection concludes. */
export interface CheckOutcome {
  readonly verdict: CheckVerdict;
  readonly level: CheckLevel;
  readonly findings: readonly CheckFinding[];
  /** What this level looked at. */
  readonly checked: readonly string[];
  /** What it did not look at, so that nobody takes the answer for more than it is. */
  readonly notChecked: readonly string[];
}

/** The answer about a file. */
export interface CheckReport extends CheckOutcome {
  readonly path: string;
  readonly exists: boolean;
}
