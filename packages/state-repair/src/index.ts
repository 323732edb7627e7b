export type {
  CheckArea,
  CheckFinding,
  CheckLevel,
  CheckOutcome,
  CheckReport,
  CheckSeverity,
  CheckVerdict,
} from "./check/check-report.js";
export { readCanonicalIds } from "./canonical/canonical-ids.js";
export type { CanonicalIds, IdSet } from "./canonical/canonical-ids.js";
