import type { Clock } from "../clock/clock.js";
import { inspectHeader } from "../files/inspect-header.js";
import type { HeaderReport } from "../files/inspect-header.js";
import { openOfflineScope } from "./live-connections.js";

const SUSPICION_CHECKS = 3;
const SUSPICION_MS = 25;

/**
 * Judges a file by its header before the engine sees it. A file under a running checkpoint or VACUUM may look short for
 * a moment; only a lasting verdict counts (REP-10).
 *
 * @throws STATE_E_LIVE_CONNECTION when this process has the database open: then it is one.
 */
export function inspectFile(path: string, clock: Clock): HeaderReport {
  using scope = openOfflineScope(path);
  for (let check = 1; ; check++) {
    const report = inspectHeader(scope.path);
    if (report.kind !== "truncated" || check === SUSPICION_CHECKS) return report;
    clock.sleep(SUSPICION_MS);
  }
}
