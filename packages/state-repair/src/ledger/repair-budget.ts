import { canonicalPath, StateError } from "@hermes/state-core";
import { listBundles } from "../evidence/bundle-names.js";
import { presentParts, totalBytes } from "../evidence/file-parts.js";
import { fingerprintOf } from "../evidence/fingerprint.js";
import { checkBundleSpace } from "../evidence/space-guard.js";
import type { SpaceProbe } from "../evidence/space-guard.js";
import { ATTEMPT_LIMIT } from "./ledger.js";
import type { Ledger } from "./ledger.js";

/** What decides whether one more pass may be made. */
export interface BudgetOptions {
  /** Whether the pass takes a bundle first; without one, freed space changes nothing. */
  readonly backup: boolean;
  readonly space?: SpaceProbe;
}

/** A bundle of this very damage shows that surgery was tried; without one every pass was refused for lack of room. */
function surgeryWasTried(path: string): boolean {
  const current = fingerprintOf(path);
  return current === null || listBundles(path).some((bundle) => fingerprintOf(bundle.path) === current);
}

function roomWasMade(path: string, space: SpaceProbe | undefined): boolean {
  try {
    return !surgeryWasTried(path) && checkBundleSpace(path, totalBytes(presentParts(path)), space).enough;
  } catch {
    // The folder cannot be looked at: nothing shows that room was made.
    return false;
  }
}

function exhausted(path: string, attempts: number, ledger: string): StateError {
  const source = JSON.stringify(path);
  return new StateError(
    "STATE_E_REPAIR_EXHAUSTED",
    `Repair of ${path} has failed ${attempts} times on this exact file and is not tried again. Restore a backup, or ` +
      `see what can be read: hermes-state recover --source ${source} --inspect-only, then ` +
      `hermes-state recover --source ${source} --output FILE. To allow repair once more, delete ${ledger}.`,
    { path, failedAttempts: attempts, ledger },
  );
}

/**
 * Whether one more repair pass may be made on the file as it is now. Passes that were refused for lack of room count
 * like any other; once there is room, one more is allowed, and its bundle ends that (REP-03, REP-04).
 *
 * @param path - The database.
 * @returns The refusal to report, or undefined when the pass may go on.
 */
export function checkRepairBudget(path: string, ledger: Ledger, options: BudgetOptions): StateError | undefined {
  const attempts = ledger.failedAttempts();
  if (attempts < ATTEMPT_LIMIT) return undefined;
  const file = canonicalPath(path);
  // Exactly at the limit, so that a pass which fails without leaving a bundle is not repeated for ever either.
  if (options.backup && attempts === ATTEMPT_LIMIT && roomWasMade(file, options.space)) return undefined;
  return exhausted(file, attempts, ledger.file);
}
