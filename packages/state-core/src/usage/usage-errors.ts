import { StateError } from "../errors/state-error.js";

/** The process is ending: what would be queued now, nobody would write down any more. */
export function queueEnded(path: string): StateError {
  return new StateError(
    "STATE_E_SHUTDOWN",
    `Could not queue usage for ${path}: the process is ending. ` +
      "Nothing was queued; use usage.record, which stores at once.",
    { path, doing: "queue usage" },
  );
}

/** What a warning about usage that was not stored says. */
export function usageLeftOver(path: string, count: number, cause: unknown): string {
  const why = cause instanceof Error ? cause.message : "no attempt was made";
  return `${String(count)} queued records of usage were not stored in ${path}: ${why}`;
}
