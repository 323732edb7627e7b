import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ROUTES } from "../corpus/many-routes.js";
import type { ManyRoutes } from "../corpus/many-routes.js";
import type { Sample } from "../measure/sample.js";
import type { Trial } from "../measure/trial.js";

const CHILD = fileURLToPath(new URL("./gateway-child.js", import.meta.url));
const RESOLVED = 2_000;

function gatewayTrial(routes: ManyRoutes, what: string, trial: Omit<Trial, "round">): Trial {
  const run = (): Sample => {
    const args = [CHILD, what, routes.path, String(trial.operations)];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Sample;
  };
  return { ...trial, round: () => ({ store: run() }) };
}

/** What a gateway waits for: its start, and the question where a message belongs. Each round is a new process. */
export function gatewayTrials(routes: ManyRoutes): readonly Trial[] {
  const resolve = { unit: "message", operations: RESOLVED };
  return [
    gatewayTrial(routes, "load", {
      name: `load ${String(ROUTES)} routes`,
      unit: "start",
      operations: 1,
      goal: { cpuMs: 100 },
    }),
    gatewayTrial(routes, "memory", { ...resolve, name: "resolve a known key from memory", goal: { cpuMs: 0.05 } }),
    gatewayTrial(routes, "store", { ...resolve, name: "resolve a known key from the store", goal: { cpuMs: 0.5 } }),
  ];
}
