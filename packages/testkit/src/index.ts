export { type TestEnvironment, childEnvironment, testEnvironment } from "./config/environment.js";
export { repoRoot } from "./config/repo-root.js";
export { type TempDir, tempDir } from "./temp/temp-dir.js";
export { type TempHome, tempHome } from "./temp/temp-home.js";
export { type TestClock, testClock } from "./clock/test-clock.js";
export { seedFor } from "./random/seed-for.js";
export { type TestRandom, testRandom } from "./random/test-random.js";
export { copyPeerFile, peerFile, peerFolder, peerExpected } from "./peer/peer-file.js";
export { describePeer, describeWith } from "./peer/describe-peer.js";
export { describePython, hasPython } from "./python/describe-python.js";
export { type PythonPeer, PythonError, type Running, startPythonPeer } from "./python/python-peer.js";
export { type PeerDatabase, type PeerMessage, openPeerDatabase } from "./python/peer-database.js";
export { runPython } from "./python/run-python.js";
export { type Child, type ChildExit, type ChildOptions, spawnChild } from "./process/spawn-child.js";
export { type NodeChildOptions, spawnNode } from "./process/spawn-node.js";
export { builtPackage } from "./process/built-package.js";
export { killAfter, killAtLine } from "./process/kill-points.js";
export { choosePoints } from "./faults/choose-points.js";
export { type CrashCase, type CrashReport, runCrashMatrix } from "./faults/crash-matrix.js";
export { fdCount } from "./process/fd-count.js";
export { type HashOptions, type RowHashes, type RowShape, hashRows, hashRowsIn } from "./files/hash-rows.js";
export { fileBytes, fileHash } from "./files/file-bytes.js";
export { fileMode, withUmask } from "./files/file-mode.js";
export { damage } from "./files/damage-file.js";
export { COLUMN_HISTORY, type HistoricColumn, type HistoricTable } from "./old-store/column-history.js";
export { historicColumns, historicTableStatements } from "./old-store/historic-tables.js";
export { type OldFtsLayout, historicFtsLayout, historicFtsStatements } from "./old-store/historic-fts.js";
export { type OldStoreOptions, oldStoreStatements } from "./old-store/old-store-statements.js";
export { type BuildOptions, buildOldStore } from "./old-store/build-old-store.js";
export { runStateStoreContract } from "./contract/run-state-store-contract.js";
export type {
  ContractMessage,
  ContractNewMessage,
  ContractReceipt,
  ContractSession,
  ContractSessionFields,
  ContractStore,
  Eventually,
  StoreHarness,
} from "./contract/store-port.js";
