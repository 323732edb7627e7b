import type { CheckOutcome } from "../check/check-report.js";

/** Disagreements of a search index that are no damage, and that end when it is filled again (REP-01). */
const REFILL: ReadonlySet<string> = new Set(["index-other-library", "index-moved-rows"]);

/** Whether a repair has anything to do on a file that a check looked at. */
export function wantsTreatment({ verdict, findings }: CheckOutcome): boolean {
  return verdict !== "healthy" || findings.some(({ code }) => REFILL.has(code));
}

/** The end of the file is missing, as far as its header tells. */
export function isCutShort({ findings }: CheckOutcome): boolean {
  return findings.some(({ code }) => code === "truncated");
}
