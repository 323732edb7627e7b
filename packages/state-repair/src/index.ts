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
export type { FindingCode, FindingModel } from "./check/findings.js";
export type { ProbeWriter } from "./check/writes/probe-writer.js";
export { verifyOnStart } from "./check/verify-on-start.js";
export type { VerifyOptions } from "./check/verify-on-start.js";
export { collectStats } from "./stats/collect-stats.js";
export { holdersCount } from "./stats/holders-count.js";
export type { StoreStats } from "./stats/store-stats.js";
export { doctor } from "./doctor/doctor.js";
export type { DoctorOptions } from "./doctor/doctor.js";
export type { DoctorFix, DoctorLevel, DoctorLine, DoctorReport } from "./doctor/doctor-report.js";
export type { DoctorLimits } from "./doctor/doctor-limits.js";
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
export { salvagePages } from "./salvage/salvage-pages.js";
export type { SalvageOptions } from "./salvage/salvage-pages.js";
export type { RowOrigin, SalvagedRow } from "./salvage/salvaged-row.js";
export type { SalvageReport, TableSalvage } from "./salvage/salvage-report.js";
export type { LayoutOrigin } from "./salvage/layout/table-layout.js";
export { applyRepair } from "./apply/apply-repair.js";
export type { ApplyOptions } from "./apply/apply-options.js";
export type { RepairReason, RepairReport } from "./apply/repair-report.js";
export type { RepairStage } from "./apply/stages.js";
export { planRepair } from "./plan/plan-repair.js";
export type { PlanOptions } from "./plan/plan-repair.js";
export type { PlanGuards, PlannedStep, RepairPlan } from "./plan/repair-plan.js";
export type { Change, StrategyName } from "./strategies/strategy.js";
export { recoverStore } from "./recover/recover-store.js";
export type { RecoverOptions } from "./recover/recover-options.js";
export type {
  InspectedTable,
  PartialRow,
  RecoveryMends,
  RecoveryReport,
  RecoverySpace,
  SkippedRange,
  SourcePart,
  TableRecovery,
} from "./recover/recovery-report.js";
