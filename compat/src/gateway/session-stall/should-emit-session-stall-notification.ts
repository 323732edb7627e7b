import { isStalled } from "./stall-question.js";
import type { StallQuestion } from "./stall-question.js";

const KNOWN = ["timeoutSeconds", "idleSeconds", "hasPendingInbound", "alreadyNotified"] as const;

/** Whether a peer is to be told now that its session does not move; once for each stall (CPT-03). */
export function shouldEmitSessionStallNotification(question: StallQuestion = {}): boolean {
  return isStalled("shouldEmitSessionStallNotification", question, KNOWN) && question.alreadyNotified !== true;
}
