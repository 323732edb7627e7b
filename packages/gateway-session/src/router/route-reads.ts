import type { RoutingEntry } from "../entry/routing-entry.js";
import { explainRoute } from "../explain/explain-route.js";
import type { RouteExplanation } from "../explain/explain-route.js";
import { canonicalSessionKey } from "../key/canonical-session-key.js";
import type { RouteContext } from "./route-context.js";
import { untilUncontested } from "./until-uncontested.js";

/** Which routes to list. */
export interface RouteListOptions {
  /** Only those with real activity in this many minutes. */
  readonly activeMinutes?: number;
}

/** What a router tells without moving a route. */
export abstract class RouteReads {
  protected readonly context: RouteContext;

  constructor(context: RouteContext) {
    this.context = context;
  }

  /** The route of a key as memory has it, or undefined. */
  get(sessionKey: string): RoutingEntry | undefined {
    return this.context.keeper.table.get(canonicalSessionKey(sessionKey));
  }

  /** The route that leads to a session, or undefined. */
  bySession(sessionId: string): RoutingEntry | undefined {
    return this.context.keeper.table.bySession(sessionId);
  }

  /** The routes, the last active first. */
  list(options: RouteListOptions = {}): readonly RoutingEntry[] {
    const { activeMinutes } = options;
    const since = activeMinutes === undefined ? -Infinity : this.context.now() - activeMinutes * 60;
    const recent = [...this.context.keeper.table.entries()].filter((entry) => entry.updatedAtSeconds >= since);
    return recent.sort((a, b) => b.updatedAtSeconds - a.updatedAtSeconds);
  }

  /** Whether anybody has talked here before, beside the conversation that is just beginning. */
  async hasAny(): Promise<boolean> {
    try {
      return (await this.context.port.countSessions()) >= 2;
    } catch (error) {
      this.context.warn({ kind: "storage", detail: String(error) });
      return this.context.keeper.table.size > 1;
    }
  }

  /** Why a key leads where it leads, and when it will not any more (GWS-09). Nothing is changed. */
  explain(sessionKey: string): Promise<RouteExplanation> {
    return explainRoute(this.context, canonicalSessionKey(sessionKey));
  }

  /**
   * Changes a route without moving it.
   *
   * @param next - The entry after the change; undefined for no change. It may be asked again.
   * @returns The route as it stands; undefined when there is none.
   */
  protected async change(
    sessionKey: string,
    next: (entry: RoutingEntry) => RoutingEntry | undefined,
  ): Promise<RoutingEntry | undefined> {
    const { keeper } = this.context;
    const key = canonicalSessionKey(sessionKey);
    const attempt = async (): Promise<{ outcome: RoutingEntry | undefined } | undefined> => {
      const entry = await keeper.settled(key);
      const changed = entry && next(entry);
      if (!changed) return { outcome: entry };
      const saved = await keeper.save(changed);
      return saved?.sessionId === changed.sessionId || !saved ? { outcome: saved } : undefined;
    };
    return keeper.queue.run(key, () => untilUncontested(key, attempt));
  }
}
