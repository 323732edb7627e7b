export { checkStore } from "./check/check-store.js";
export type { CheckOptions } from "./check/check-store.js";
export { checkConnection } from "./check/check-connection.js";
export type { CheckConnectionOptions } from "./check/check-connection.js";
export type {
  CheckArea,
  CheckFinding,
  CheckLevel,
  CheckOutcome,
  CheckReport,
  CheckSeverity,
  CheckVerdict,
} from "./check/check-report.js";
export { FINDINGS } from "./check/findings.js";
export type { FindingCode } from "./check/findings.js";
export type { ProbeWriter } from "./check/writes/probe-writer.js";
export { readCanonicalIds } from "./canonical/canonical-ids.js";
export type { CanonicalIds, IdSet } from "./canonical/canonical-ids.js";
export { fingerprintOf } from "./evidence/fingerprint.js";
export { takeForensicBundle } from "./evidence/bundle.js";
export type { BundleOptions, BundleRefusal, BundleResult, ForensicBundle } from "./evidence/bundle-result.js";
export { listBundles } from "./evidence/bundle-names.js";
export type { ListedBundle } from "./evidence/bundle-names.js";
export { checkBundleSpace, checkScratchSpace } from "./evidence/space-guard.js";
export type { SpaceProbe, SpaceVerdict, VolumeSpace } from "./evidence/space-guard.js";
export { ATTEMPT_LIMIT, openLedger } from "./ledger/ledger.js";
export type { Ledger } from "./ledger/ledger.js";
export { consumesAttempt } from "./ledger/consumes-attempt.js";
export { checkRepairBudget } from "./ledger/repair-budget.js";
export type { BudgetOptions } from "./ledger/repair-budget.js";
export { REPAIR_LOCK_WAIT_MS, repairLockRefusal, withRepairLock } from "./guard/repair-lock.js";
export type { RepairLockResult } from "./guard/repair-lock.js";
export { findLiveWriter, liveWriterRefusal } from "./guard/live-writer.js";
export type { LiveWriter, LiveWriterOptions } from "./guard/live-writer.js";
export { openExclusiveGuard } from "./guard/exclusive-guard.js";
export type { GuardOptions } from "./guard/exclusive-guard.js";
