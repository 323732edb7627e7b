import { DEFAULT_RESET_POLICY } from "@hermes/gateway-session";
import { autoContinueFreshnessText } from "../../config/auto-continue-freshness.js";

/**
 * How long an interrupted turn may be taken up again: `HERMES_AUTO_CONTINUE_FRESHNESS`, else what the default policy
 * says (CPT-03).
 *
 * @returns Seconds; zero or less: for ever.
 */
export function autoContinueFreshnessWindow(): number {
  const set = autoContinueFreshnessText()?.trim() ?? "";
  const seconds = set === "" ? NaN : Number(set);
  return Number.isFinite(seconds) ? seconds : DEFAULT_RESET_POLICY.resumeFreshnessSeconds;
}
