import { openMaintenanceConnection } from "@hermes/state-core";
import type { MaintenanceConnection } from "@hermes/state-core";
import { probeCapabilities } from "@hermes/state-schema";
import type { CheckFinding } from "../check/check-report.js";
import { openSchema } from "../strategies/schema-rows.js";
import type { Diagnosis, Strategy } from "../strategies/strategy.js";
import type { Step } from "./operation.js";
import type { RowsProof } from "./rows-proof.js";
import { compact, RowsChanged, treatProven } from "./treat-proven.js";

/** Compacting, which cannot be rolled back, has spoilt the copy: nothing more is tried on it. */
class CopySpoilt extends RowsChanged {
  override readonly name: string = "CopySpoilt";
}

/**
 * How a strategy got on with a copy.
 *
 * - `done`: it changed something, and every row is proven unchanged;
 * - `failed`: it ran into damage, or rows were not provably the same, and was rolled back;
 * - `spoilt`: it was not rolled back, and nothing more may be tried on this copy.
 */
export type Attempt =
  { readonly kind: "done"; readonly step: Step } | { readonly kind: "failed" | "spoilt"; readonly message: string };

/** Has a strategy treat what it has diagnosed on a copy. */
export function attemptOnCopy(path: string, strategy: Strategy, diagnosis: Diagnosis, rows: RowsProof): Attempt {
  try {
    return { kind: "done", step: treatCopy(path, strategy, diagnosis, rows) };
  } catch (error) {
    if (!isExpected(error)) throw error;
    return { kind: error instanceof CopySpoilt ? "spoilt" : "failed", message: error.message };
  }
}

/** A strategy may run into whatever damage there is; only a mistake of ours is none of the file's. */
function isExpected(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError);
}

function treatCopy(path: string, strategy: Strategy, diagnosis: Diagnosis, rows: RowsProof): Step {
  using connection = openMaintenanceConnection(path, { unsafe: true });
  connection.retakeBarriers();
  const { changes, leavesPages } = connection.transaction(() => treatProven(connection, strategy, diagnosis, rows));
  const compacts = leavesPages && compactCopy(connection, rows);
  return { strategy: strategy.name, diagnosis, changes, compacts };
}

/**
 * What a strategy would treat. On a connection of its own: what it meets there must not follow the treatment.
 *
 * @returns Undefined when nothing is for it.
 */
export function diagnoseCopy(
  path: string,
  strategy: Strategy,
  findings: readonly CheckFinding[],
): Diagnosis | undefined {
  using connection = openMaintenanceConnection(path, { unsafe: true });
  openSchema(connection);
  return strategy.diagnose({ connection, findings, capabilities: probeCapabilities(connection) });
}

function compactCopy(connection: MaintenanceConnection, rows: RowsProof): boolean {
  try {
    return compact(connection, rows);
  } catch (error) {
    if (!isExpected(error)) throw error;
    throw new CopySpoilt(`compacting: ${error.message}`);
  }
}
