import type { RouteStep, RoutingEntry } from "../entry/routing-entry.js";

/** Steps that lead to another session of the same conversation. Every other step to another session leaves it. */
const CONTINUING: ReadonlySet<string> = new Set(["continued", "advanced"]);

/** Where a route stood when it was last looked at. */
export interface RouteMark {
  readonly sessionId: string;
  /** The last step of its history; undefined where there was none. */
  readonly lastStep: RouteStep | undefined;
}

/** Where a route stands now. */
export function markRoute({ sessionId, history }: Pick<RoutingEntry, "sessionId" | "history">): RouteMark {
  return { sessionId, lastStep: history.at(-1) };
}

function isSameStep(a: RouteStep, b: RouteStep): boolean {
  return a.atSeconds === b.atSeconds && a.what === b.what && a.sessionId === b.sessionId;
}

/**
 * Whether a route has left its conversation since it was last looked at, also when it is back in the same session by
 * now. When the history does not reach back that far, it counts as left.
 */
export function crossesBoundary(mark: RouteMark, entry: Pick<RoutingEntry, "sessionId" | "history">): boolean {
  const { lastStep } = mark;
  const { history } = entry;
  const known = lastStep === undefined ? -1 : history.findLastIndex((step) => isSameStep(step, lastStep));
  if (lastStep !== undefined && known === -1) return true;
  let sessionId = mark.sessionId;
  for (const step of history.slice(known + 1)) {
    if (step.sessionId !== sessionId && !CONTINUING.has(step.what)) return true;
    sessionId = step.sessionId;
  }
  return sessionId !== entry.sessionId;
}
