export { openStateStore } from "./store/open-state-store.js";
export type { OpenOptions } from "./store/open-options.js";
export type { StateStore } from "./store/state-store.js";
export type { PatienceClass, StoreContext } from "./store/context.js";
export type { StoreInfo } from "./store/store-info.js";

export { systemClock } from "./clock/clock.js";
export type { Clock } from "./clock/clock.js";
export { systemRandom } from "./clock/random.js";
export type { Random } from "./clock/random.js";

export { checkKnownOptions } from "./config/check-known-options.js";
export { defaultStatePath, stateHome } from "./config/default-state-path.js";

export { isStateError, StateError } from "./errors/state-error.js";
export type { ErrorFacts, StateErrorCode } from "./errors/state-error.js";
export { classifyPersistenceError, PERSISTENCE_CAUSES } from "./errors/classify-persistence-error.js";
export type { PersistenceCause } from "./errors/classify-persistence-error.js";
export { explainPersistenceCause } from "./errors/explain-persistence-cause.js";

export type { Driver, DriverConnection, DriverOpenOptions, DriverStatement } from "./driver/driver.js";
export { betterSqlite3Driver } from "./driver/better-sqlite3-driver.js";

export { openOfflineScope } from "./connection/live-connections.js";
export { hardenModes } from "./files/harden-modes.js";
export { LOCK_SUFFIX, SIDECAR_SUFFIXES } from "./files/file-names.js";
export { acquireKernelLock } from "./locking/kernel-lock.js";
export type { LockAttempt } from "./locking/kernel-lock.js";
export { findHolders } from "./locking/find-holders.js";
export type { Holder, HolderScan } from "./locking/find-holders.js";
