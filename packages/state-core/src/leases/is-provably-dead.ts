import { holderNamespace, holderPid } from "./holder-name.js";
import { isPidOfNestedNamespace, ownPidNamespace } from "./pid-namespace.js";

/** Only "no such process" proves anything: no permission means that it lives. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/**
 * True when the process that a holder text names is gone from this machine for certain. Anything in doubt is alive: a
 * text without a process id, this very process, a process this user may not see, an id of another PID namespace
 * (COR-25).
 */
export function isProvablyDead(holder: string): boolean {
  const pid = holderPid(holder);
  if (pid === undefined || pid === process.pid) return false;
  const namespace = holderNamespace(holder);
  if (namespace !== undefined && namespace !== ownPidNamespace()) return false;
  if (!isGone(pid)) return false;
  return namespace !== undefined || !isPidOfNestedNamespace(pid);
}
