/** What a check concludes: `unknown` when the store could not be looked at. */
export type CheckVerdict = "healthy" | "damaged" | "unknown";

/**
 * One thing a check found. `damage` decides the verdict; a `note` is a difference of capability, age or state that
 * harms nobody's rows: it never makes a store damaged.
 */
export interface CheckFinding {
  readonly severity: "damage" | "note";
  /** Stable name: `pages`, `index-coverage`, `old-schema`, ... */
  readonly code: string;
  /** Table, index or file it concerns. */
  readonly object: string;
  readonly detail: string;
}

/** The answer of `hermes-state check`. */
export interface CheckReport {
  readonly path: string;
  readonly exists: boolean;
  readonly verdict: CheckVerdict;
  readonly level: "quick";
  readonly findings: readonly CheckFinding[];
  /** What this level looked at. */
  readonly checked: readonly string[];
  /** What it did not look at, so that nobody takes it for more. */
  readonly notChecked: readonly string[];
}

/** The verdict that findings lead to. */
export function verdictOf(findings: readonly CheckFinding[]): CheckVerdict {
  return findings.some((finding) => finding.severity === "damage") ? "damaged" : "healthy";
}
