import { nextDailyBoundary } from "./daily-boundary.js";
import { idleDeadline, resetReason, resumeDeadline } from "./reset-reason.js";
import type { ResetQuestion, ResetReason } from "./reset-reason.js";

/** When a conversation will start over if nothing happens until then. */
export interface NextReset {
  readonly reason: ResetReason;
  /** REAL seconds. A message after this moment starts the conversation over; at it only for "daily". */
  readonly atSeconds: number;
  /** Whether the moment has passed: the next message starts it over, unless work in the background keeps it. */
  readonly due: boolean;
  /** Whether work in the background keeps the conversation for now. */
  readonly keptByBackground: boolean;
}

type Deadline = readonly [reason: ResetReason, atSeconds: number];

/** Every way in which time ends a conversation, in the order in which {@link resetReason} looks. */
function deadlines({ entry, policy, zone }: ResetQuestion): readonly Deadline[] {
  const found: Deadline[] = [];
  if (policy.mode === "idle" || policy.mode === "both") found.push(["idle", idleDeadline(entry, policy)]);
  if (policy.mode === "daily" || policy.mode === "both") {
    found.push(["daily", nextDailyBoundary(entry.updatedAtSeconds, policy.atHour, zone)]);
  }
  const resume = resumeDeadline(entry, policy);
  if (resume !== undefined) found.push(["resume_pending_expired", resume]);
  return found;
}

/**
 * When a conversation will start over and why, if nothing happens until then (GWS-09); null for never. It says what
 * {@link resetReason} will say, and changes nothing.
 */
export function nextReset(question: ResetQuestion): NextReset | null {
  const { entry, now, backgroundActive = false } = question;
  if (entry.suspended) return { reason: "suspended", atSeconds: now, due: true, keptByBackground: false };
  const all = deadlines(question);
  const reason = resetReason({ ...question, backgroundActive: false });
  const due = all.find(([name]) => name === reason);
  const next =
    due ?? all.reduce<Deadline | undefined>((first, one) => (first && first[1] <= one[1] ? first : one), undefined);
  if (next === undefined) return null;
  return { reason: next[0], atSeconds: next[1], due: due !== undefined, keptByBackground: backgroundActive };
}
