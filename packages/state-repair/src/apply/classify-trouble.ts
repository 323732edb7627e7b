import { isStateError } from "@hermes/state-core";
import { engineTrouble, messageOf } from "../check/engine-error.js";
import { MAKE_WRITABLE, recoverAdvice, refusalText } from "./explain-refusal.js";
import { NotPromoted } from "./promote.js";
import type { RepairReason } from "./repair-report.js";

const FULL: ReadonlySet<unknown> = new Set(["SQLITE_FULL", "ENOSPC", "EDQUOT"]);
const DENIED: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS"]);
const MAKE_ROOM = "Make room on the volume and run the repair again.";

/**
 * What an error on the way means for the repair; undefined for one that is a mistake of ours, or the caller's own.
 *
 * @param path - The file under repair.
 */
export function classifyTrouble(path: string, error: unknown): { reason: RepairReason; text: string } | undefined {
  if (isStateError(error, "STATE_E_STORE_HELD")) return { reason: "live", text: error.message };
  const code = (error as { code?: unknown } | null)?.code;
  const because = [messageOf(error)];
  if (error instanceof NotPromoted) {
    return { reason: "not-healed", text: refusalText(`Could not repair ${path}`, because, recoverAdvice(path)) };
  }
  if (FULL.has(code)) return { reason: "no-space", text: refusalText(`No room to repair ${path}`, because, MAKE_ROOM) };
  const trouble = engineTrouble(error);
  if (DENIED.has(code) || trouble === "environment") {
    return { reason: "not-writable", text: refusalText(`Could not write ${path}`, because, MAKE_WRITABLE) };
  }
  if (trouble === "damage") {
    return { reason: "unreadable", text: refusalText(`Could not open ${path}`, because, recoverAdvice(path)) };
  }
  return undefined;
}
