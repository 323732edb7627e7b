import { checkKnownOptions, checkSeconds } from "@hermes/state-core";
import { checkResetPolicy } from "./check-reset-policy.js";
import type { ResetPolicy } from "./reset-policy.js";
import { checkSimulatedEvent } from "./simulated-event.js";
import type { SimulatedEvent } from "./simulated-event.js";
import { SimulatedRoute } from "./simulated-route.js";
import type { SimulatedStep } from "./simulated-route.js";
import { checkTimeZone, systemZone } from "./wall-clock.js";

/** Where and when a simulation begins. */
export interface SimulationOptions {
  /** REAL seconds at which the first conversation began. */
  readonly startSeconds: number;
  /** IANA name of a time zone. Default: that of the machine. */
  readonly zone?: string;
  /** A turn that began longer ago is not taken up after a restart. Default an hour. */
  readonly maxTurnAgeSeconds?: number;
}

/**
 * Plays events through a reset policy, with the rules that a router decides by (GWS-09). Nothing is stored.
 *
 * @param policy - Complete or not; what it leaves out has the default.
 * @param events - In the order in which they happen. Their moments may go back, as a clock that is set does.
 * @returns What came of each event, and why.
 * @throws StateError `STATE_E_BAD_RESET_POLICY`, `STATE_E_BAD_TIME_ZONE`, `STATE_E_BAD_TIMESTAMP`. TypeError for an
 * event or an option that does not exist.
 * @example
 * ```ts
 * const steps = simulateReset({ mode: "idle", idleMinutes: 60 }, [{ kind: "message", atSeconds: 3700 }], {
 *   startSeconds: 0,
 *   zone: "UTC",
 * });
 * console.log(steps[0]?.outcome, steps[0]?.reason); // "starts_over" "idle"
 * ```
 */
export function simulateReset(
  policy: Partial<ResetPolicy>,
  events: readonly SimulatedEvent[],
  options: SimulationOptions,
): readonly SimulatedStep[] {
  checkKnownOptions("simulateReset", options, ["startSeconds", "zone", "maxTurnAgeSeconds"]);
  checkSeconds("startSeconds", options.startSeconds);
  events.forEach(checkSimulatedEvent);
  const zone = checkTimeZone(options.zone ?? systemZone());
  const { startSeconds, maxTurnAgeSeconds = 3600 } = options;
  const route = new SimulatedRoute(checkResetPolicy("simulated", policy), zone, startSeconds, maxTurnAgeSeconds);
  return events.map((event) => route.take(event));
}
