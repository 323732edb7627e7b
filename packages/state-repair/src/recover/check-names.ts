import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { realpathSync } from "node:fs";
import { SIDECAR_SUFFIXES, StateError } from "@hermes/state-core";
import type { RecoverPlan } from "./recover-options.js";

const MEMBERS: readonly string[] = ["", ...SIDECAR_SUFFIXES];

/** The one spelling of a path whose last part need not exist. */
function realName(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not there yet: its folder decides.
  }
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

/** True for anything of that name, a symlink to nothing included. */
export function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function refuse(
  code: "STATE_E_OUTPUT_EXISTS" | "STATE_E_OUTPUT_IS_SOURCE" | "STATE_E_REPORT_EXISTS",
  text: string,
  path: string,
): never {
  throw new StateError(code, text, { path });
}

/**
 * Makes sure that recovery overwrites nothing: the output is not the source, and none of its four names is taken.
 *
 * @throws STATE_E_OUTPUT_IS_SOURCE, STATE_E_OUTPUT_EXISTS, STATE_E_REPORT_EXISTS
 */
export function checkNames({ source, output, reportPath }: RecoverPlan): void {
  const sources = new Set(MEMBERS.flatMap((suffix) => [source + suffix, realName(source + suffix)]));
  for (const name of output === undefined ? [] : MEMBERS.map((suffix) => output + suffix)) {
    if (sources.has(name) || sources.has(realName(name)))
      refuse("STATE_E_OUTPUT_IS_SOURCE", `${name} belongs to the source. Name another file to recover to.`, name);
    if (isTaken(name))
      refuse(
        "STATE_E_OUTPUT_EXISTS",
        `${name} exists and is not overwritten. Name another file, or move it away.`,
        name,
      );
  }
  if (reportPath !== undefined && isTaken(reportPath))
    refuse(
      "STATE_E_REPORT_EXISTS",
      `The report ${reportPath} exists and is not overwritten. Name another file, or move it away.`,
      reportPath,
    );
}
