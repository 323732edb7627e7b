import { classifyPersistenceError, isStateError } from "@hermes/state-core";

/**
 * What a failed append means for its message: `closed` goes on in another session, `missing` has no row yet, `index`
 * is tried once more at once, `refused` is never taken, `stop` is true of every message, and `failed` is tried again
 * later.
 */
export type Verdict = "closed" | "missing" | "index" | "refused" | "stop" | "failed";

/** The engine's own names for a value it does not take. */
const VALUE_RESULT = /^SQLITE_(?:CONSTRAINT|MISMATCH|TOOBIG|RANGE)/;

function isRefusal(error: unknown): boolean {
  // A failed connection of a client is a TypeError too, but one that a system error caused.
  if (error instanceof TypeError) return typeof (error.cause as { code?: unknown } | undefined)?.code !== "string";
  if (error instanceof RangeError) return true;
  if (!isStateError(error)) return false;
  if (error.code === "STATE_E_BAD_TIMESTAMP") return true;
  return error.code === "STATE_E_UNKNOWN" && VALUE_RESULT.test(String(error.facts.result));
}

/** Tells what to do about an error of the storage (GWS-05). */
export function judgeFailure(error: unknown): Verdict {
  if (isRefusal(error)) return "refused";
  switch (classifyPersistenceError(error)) {
    case "compression_closed":
      return "closed";
    case "session_row_missing":
      return "missing";
    case "fts_index":
      return "index";
    case "corrupt":
    case "replaced":
    case "deleted_wal":
      return "stop";
    default:
      return "failed";
  }
}
