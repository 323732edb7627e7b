import { isStalled } from "./stall-question.js";
import type { StallQuestion } from "./stall-question.js";

const KNOWN = ["timeoutSeconds", "idleSeconds", "hasPendingInbound"] as const;

/** Whether a stall is over, so that the next one is told again (CPT-03). */
export function shouldClearSessionStallNotification(question: Omit<StallQuestion, "alreadyNotified"> = {}): boolean {
  return !isStalled("shouldClearSessionStallNotification", question, KNOWN);
}
