import { openMaintenanceConnection } from "@hermes/state-core";
import type { ProgressOptions } from "@hermes/state-core";
import { connectionSteps } from "../check/check-connection.js";
import type { CheckOutcome } from "../check/check-report.js";
import { engineTrouble, messageOf } from "../check/engine-error.js";
import { finding } from "../check/findings.js";
import { runStepsApart } from "../steps/run-steps.js";

/** A full check of a copy that nobody else has open, writes included. */
export async function inspectCopy(path: string, options: ProgressOptions): Promise<CheckOutcome> {
  // The writer comes first: it rolls back or recovers what the copied journal or log says.
  using writer = openMaintenanceConnection(path);
  using reader = openMaintenanceConnection(path, { readonly: true });
  try {
    return await runStepsApart(connectionSteps(reader, { level: "full", writer, shared: false }), options);
  } catch (error) {
    if (engineTrouble(error) !== "damage") throw error;
    const findings = [finding("schema-unreadable", "main", `The file cannot be read: ${messageOf(error)}.`)];
    return { verdict: "damaged", level: "full", findings, checked: [], notChecked: ["everything else"] };
  }
}
