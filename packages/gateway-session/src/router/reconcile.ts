import type { RoutingEntry } from "../entry/routing-entry.js";
import { decideRoute } from "./decide-route.js";
import { findUnrouted } from "./find-unrouted.js";
import { planContinuation, planRecovery } from "./plan-step.js";
import type { RouteContext } from "./route-context.js";
import type { PlannedStep } from "./route-step.js";
import { sourceOf } from "./source-of.js";

/** What becomes of a route whose session ended while nobody routed; undefined when it stands. */
async function planFor(context: RouteContext, entry: RoutingEntry): Promise<PlannedStep | undefined> {
  const standing = await context.port.standing(entry.sessionId);
  const tip = standing.tip === standing.sessionId ? standing : await context.port.standing(standing.tip);
  const decision = decideRoute(standing, tip, null);
  if (decision.kind === "goOn") return planContinuation(entry, decision.sessionId, standing.endReason, context.now());
  if (decision.kind !== "leave") return undefined;
  const { sessionKey } = entry;
  const source = sourceOf(entry);
  const found = await findUnrouted(context, sessionKey, source);
  if (!found || found.sessionId === entry.sessionId) return { entry: null };
  const begin = { sessionKey, source, sessionId: found.sessionId, now: context.now() };
  return planRecovery(begin, found, await context.port.standing(found.sessionId), entry);
}

async function reconcileOne(context: RouteContext, sessionKey: string): Promise<void> {
  const entry = await context.keeper.settled(sessionKey);
  const step = entry && (await planFor(context, entry));
  if (entry && step) await context.keeper.publish(sessionKey, step, entry.sessionId);
}

/**
 * Puts routes right whose session has ended meanwhile: what an accident ended goes on, what was left on purpose is not
 * routed any more (P18). A question that the storage does not answer leaves its route as it is; the next message asks
 * again.
 */
export async function reconcileEnded(context: RouteContext, sessionKeys: readonly string[]): Promise<void> {
  const { keeper, warn } = context;
  for (const sessionKey of sessionKeys) {
    try {
      await keeper.queue.run(sessionKey, () => reconcileOne(context, sessionKey));
    } catch (error) {
      warn({ kind: "storage", sessionKey, detail: String(error) });
    }
  }
}
