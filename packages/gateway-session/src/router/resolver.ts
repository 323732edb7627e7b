import { buildSessionKey } from "../key/build-session-key.js";
import { checkSessionKey } from "../key/check-session-key.js";
import type { RoutingEntry } from "../entry/routing-entry.js";
import type { KeyedSession, SessionStanding } from "../port/session-storage-port.js";
import type { MessageSource } from "../source/message-source.js";
import { decideRoute } from "./decide-route.js";
import type { RouteDecision } from "./decide-route.js";
import { findOlderRoute, findUnrouted } from "./find-unrouted.js";
import { planContinuation, planNew, planRecovery, planReset, planUpgrade } from "./plan-step.js";
import type { Beginning, LeadingStep, ResetCause } from "./plan-step.js";
import type { Resolution, ResolutionKind } from "./resolution.js";
import type { RouteContext } from "./route-context.js";
import { unsafeKey } from "./router-errors.js";
import { untilUncontested } from "./until-uncontested.js";

/** How to resolve. */
export interface ResolveOptions {
  /** Begin anew whatever stands there, as a peer that asks for it. Default false. */
  readonly forceNew?: boolean;
  /** False for what is no activity of the peer: an internal event, a lookup. Default true. */
  readonly touchActivity?: boolean;
}

/** What is asked for. */
interface Ask {
  readonly sessionKey: string;
  readonly source: MessageSource;
  readonly forceNew: boolean;
  readonly touch: boolean;
}

/** A step and what it will have been. */
interface Planned {
  readonly step: LeadingStep;
  readonly how: ResolutionKind;
  readonly why: string | null;
}

/** The end of a session whose peer asked for a new one. */
const RESET = "session_reset";

function resetTo(begin: Beginning, old: RoutingEntry, cause: ResetCause): Planned {
  return { step: planReset(begin, old, cause), how: "reset", why: cause.reason };
}

/** Finds out in which session a message belongs: one answer for all who ask at once. */
export class Resolver {
  readonly #context: RouteContext;
  readonly #flights = new Map<string, Promise<Resolution>>();

  constructor(context: RouteContext) {
    this.#context = context;
  }

  async resolve(source: MessageSource, options: ResolveOptions): Promise<Resolution> {
    const { forceNew = false, touchActivity = true } = options;
    const sessionKey = buildSessionKey(source, this.#context.sharing);
    const objection = checkSessionKey(sessionKey);
    if (objection !== undefined) throw unsafeKey(sessionKey, objection);
    if (!forceNew) {
      const known = await this.#known(sessionKey, touchActivity);
      if (known) return known;
    }
    const flight = `${forceNew ? "new" : touchActivity ? "touch" : "look"} ${sessionKey}`;
    const running = this.#flights.get(flight);
    if (running) return running;
    const ask = { sessionKey, source, forceNew, touch: touchActivity };
    const mine = this.#context.keeper.queue.run(sessionKey, () => this.#settle(ask));
    this.#flights.set(flight, mine);
    try {
      return await mine;
    } finally {
      this.#flights.delete(flight);
    }
  }

  /** The route as it stands, where nothing has to change. */
  async #known(sessionKey: string, touch: boolean): Promise<Resolution | undefined> {
    const { keeper } = this.#context;
    const entry = keeper.table.get(sessionKey);
    if (!entry || !keeper.isDurable(sessionKey)) return undefined;
    const decision = await this.#decide(entry);
    if (decision.kind !== "keep" || keeper.table.get(sessionKey) !== entry) return undefined;
    return this.#answer(entry, "known", null, touch);
  }

  async #decide(entry: RoutingEntry): Promise<RouteDecision> {
    const reset = await this.#context.resetReason(entry);
    if (reset !== null) return { kind: "reset", reason: reset };
    const standing = await this.#standing(entry.sessionId);
    if (!standing) return { kind: "keep" };
    const tip = standing.tip === standing.sessionId ? standing : await this.#standing(standing.tip);
    return decideRoute(standing, tip ?? standing, null);
  }

  /** A storage that does not answer keeps nobody from talking. */
  async #standing(sessionId: string): Promise<SessionStanding | undefined> {
    try {
      return await this.#context.port.standing(sessionId);
    } catch (error) {
      this.#context.warn({ kind: "storage", detail: String(error) });
      return undefined;
    }
  }

  async #settle(ask: Ask): Promise<Resolution> {
    const { sessionKey, touch } = ask;
    const { keeper, warn } = this.#context;
    let upgraded = false;
    return untilUncontested(sessionKey, async () => {
      const { entry, reached } = await this.#stored(sessionKey);
      const planned = reached ? await this.#plan(ask, entry) : this.#planBlind(ask, entry);
      if (!planned) {
        return { outcome: this.#answer(entry as RoutingEntry, upgraded ? "upgraded" : "known", null, touch) };
      }
      const { step, how, why } = planned;
      const expected = entry?.sessionId ?? null;
      try {
        const { applied } = await keeper.publish(sessionKey, step, expected);
        upgraded ||= applied;
        // The upgraded route is looked at once more: it may have to be reset or followed like any other.
        if (!applied || how === "upgraded") return undefined;
      } catch (error) {
        warn({ kind: "unsaved", sessionKey, detail: String(error) });
        keeper.owe(sessionKey, step, expected);
      }
      return { outcome: this.#answer(step.entry, how, why, touch) };
    });
  }

  /** The route as the storage has it now, or as memory has it while the storage does not answer. */
  async #stored(sessionKey: string): Promise<{ entry: RoutingEntry | undefined; reached: boolean }> {
    const { keeper, warn } = this.#context;
    try {
      return { entry: await keeper.settled(sessionKey), reached: true };
    } catch (error) {
      warn({ kind: "storage", sessionKey, detail: String(error) });
      return { entry: keeper.table.get(sessionKey), reached: false };
    }
  }

  async #plan(ask: Ask, entry: RoutingEntry | undefined): Promise<Planned | undefined> {
    const begin = this.#beginning(ask);
    if (!entry) return this.#planUnrouted(ask, begin);
    if (ask.forceNew) return resetTo(begin, entry, { reason: RESET, automatic: false, ends: true });
    const decision = await this.#decide(entry);
    if (decision.kind === "keep") return undefined;
    if (decision.kind === "reset") {
      return resetTo(begin, entry, { reason: decision.reason, automatic: true, ends: true });
    }
    if (decision.kind === "goOn") {
      const { sessionId } = decision;
      const how = sessionId === entry.sessionId ? "reopened" : "continued";
      return { step: planContinuation(entry, sessionId, null, begin.now), how, why: null };
    }
    const found = await findUnrouted(this.#context, ask.sessionKey, ask.source);
    if (found && found.sessionId !== entry.sessionId) return this.#recover(begin, found, entry);
    return resetTo(begin, entry, { reason: decision.reason ?? RESET, automatic: false, ends: false });
  }

  async #planUnrouted(ask: Ask, begin: Beginning): Promise<Planned> {
    const { sessionKey, source, forceNew } = ask;
    const older = await findOlderRoute(this.#context, source);
    if (older) return { step: planUpgrade(older, sessionKey, source, begin.now), how: "upgraded", why: null };
    const found = await findUnrouted(this.#context, sessionKey, source);
    if (found) return this.#recover(begin, found, undefined, forceNew ? RESET : null);
    return { step: planNew(begin), how: "created", why: null };
  }

  /** What is found again still obeys the policy: it counts from the last real activity. */
  async #recover(
    begin: Beginning,
    found: KeyedSession,
    old: RoutingEntry | undefined,
    asked: string | null = null,
  ): Promise<Planned> {
    const step = planRecovery(begin, found, await this.#context.port.standing(found.sessionId), old);
    const reason = asked ?? (await this.#context.resetReason(step.entry));
    if (reason === null) return { step, how: "recovered", why: null };
    return resetTo(begin, step.entry, { reason, automatic: asked === null, ends: true });
  }

  /** While the storage does not answer, what memory knows goes on; what it does not know begins. */
  #planBlind(ask: Ask, entry: RoutingEntry | undefined): Planned | undefined {
    const begin = this.#beginning(ask);
    if (!entry) return { step: planNew(begin), how: "created", why: null };
    return ask.forceNew ? resetTo(begin, entry, { reason: RESET, automatic: false, ends: true }) : undefined;
  }

  #beginning({ sessionKey, source }: Ask): Beginning {
    return { sessionKey, source, sessionId: this.#context.newSessionId(), now: this.#context.now() };
  }

  #answer(entry: RoutingEntry, how: ResolutionKind, why: string | null, touch: boolean): Resolution {
    const { keeper } = this.#context;
    const { sessionKey, sessionId } = entry;
    const durable = keeper.isDurable(sessionKey);
    if (!touch || how === "created" || how === "reset") return { sessionKey, sessionId, entry, how, why, durable };
    const touched = { ...entry, updatedAtSeconds: this.#context.now() };
    keeper.touch(touched);
    return { sessionKey, sessionId, entry: touched, how, why, durable };
  }
}
