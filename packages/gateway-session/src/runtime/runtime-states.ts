import { checkKnownOptions, systemClock } from "@hermes/state-core";
import type { Clock } from "@hermes/state-core";
import type { RoutingEntry } from "../entry/routing-entry.js";
import { crossesBoundary, markRoute } from "./crosses-boundary.js";
import type { RouteMark } from "./crosses-boundary.js";
import { DEFAULT_SCOPES } from "./runtime-scopes.js";
import type { ConversationState, PersistentState, RuntimeScopes, TurnState } from "./runtime-scopes.js";
import { SessionRuntime } from "./session-runtime.js";
import type { RunGenerations } from "./session-runtime.js";

/** How runtimes are made. */
export interface RuntimeOptions<T extends TurnState, C extends ConversationState, P extends PersistentState> {
  /** How scopes begin, for a host that keeps fields of its own. */
  readonly scopes: RuntimeScopes<T, C, P>;
  readonly clock?: Pick<Clock, "now" | "monotonicMs">;
}

interface Held<T extends TurnState, C extends ConversationState, P extends PersistentState> {
  readonly runtime: SessionRuntime<T, C, P>;
  mark: RouteMark | undefined;
  usedAtMs: number;
}

/** The runtimes of a gateway's peers. Use {@link createRuntimeStates}. */
export class RuntimeStates<
  T extends TurnState = TurnState,
  C extends ConversationState = ConversationState,
  P extends PersistentState = PersistentState,
> {
  readonly #scopes: RuntimeScopes<T, C, P>;
  readonly #clock: Pick<Clock, "now" | "monotonicMs">;
  readonly #held = new Map<string, Held<T, C, P>>();
  readonly #generations: RunGenerations = { last: 0 };

  constructor(options: RuntimeOptions<T, C, P>) {
    this.#scopes = options.scopes;
    this.#clock = options.clock ?? systemClock;
  }

  /** How many peers something is held of. */
  get size(): number {
    return this.#held.size;
  }

  /** The runtime of a key; one that begins where there is none. */
  of(sessionKey: string): SessionRuntime<T, C, P> {
    return this.#hold(sessionKey).runtime;
  }

  /** The runtime of a key, undefined where nothing is kept. */
  find(sessionKey: string): SessionRuntime<T, C, P> | undefined {
    return this.#held.get(sessionKey)?.runtime;
  }

  /**
   * The runtime of a route that a router resolved, to be asked for with every message. Where the route has left its
   * conversation since the last time, by whatever way, a new one has begun (GWS-08).
   */
  enter(entry: Pick<RoutingEntry, "sessionKey" | "sessionId" | "history">): SessionRuntime<T, C, P> {
    const held = this.#hold(entry.sessionKey);
    if (held.mark !== undefined && crossesBoundary(held.mark, entry)) held.runtime.beginConversation();
    held.mark = markRoute(entry);
    return held.runtime;
  }

  /**
   * Drops the runtimes that nobody asked for in a while and that nothing is kept in: one made anew is the same.
   *
   * @param idleSeconds - How long nobody must have asked for it.
   * @returns The keys that were dropped.
   */
  evictIdle(idleSeconds: number): readonly string[] {
    const before = this.#clock.monotonicMs() - idleSeconds * 1000;
    const dropped: string[] = [];
    for (const [sessionKey, { runtime, usedAtMs }] of this.#held) {
      if (usedAtMs > before || !runtime.isAtRest) continue;
      runtime.close();
      this.#held.delete(sessionKey);
      dropped.push(sessionKey);
    }
    return dropped;
  }

  #hold(sessionKey: string): Held<T, C, P> {
    const usedAtMs = this.#clock.monotonicMs();
    const known = this.#held.get(sessionKey);
    if (known) {
      known.usedAtMs = usedAtMs;
      return known;
    }
    const generations = this.#generations;
    const parts = { sessionKey, scopes: this.#scopes, clock: this.#clock, generations };
    const held = { runtime: new SessionRuntime(parts), mark: undefined, usedAtMs };
    this.#held.set(sessionKey, held);
    return held;
  }
}

/**
 * Creates the runtimes of a gateway; each key has one when it is asked for.
 *
 * @example
 * ```ts
 * const runtimes = createRuntimeStates();
 * const runtime = runtimes.of("agent:main:telegram:dm:7");
 * runtime.conversation.reasoningOverride = "high";
 * runtime.beginConversation(); // /new
 * console.log(runtime.conversation.reasoningOverride); // null
 * ```
 */
export function createRuntimeStates(options?: { readonly clock?: Clock }): RuntimeStates;
export function createRuntimeStates<T extends TurnState, C extends ConversationState, P extends PersistentState>(
  options: RuntimeOptions<T, C, P>,
): RuntimeStates<T, C, P>;
export function createRuntimeStates(
  options: Partial<RuntimeOptions<TurnState, ConversationState, PersistentState>> = {},
): RuntimeStates {
  checkKnownOptions("createRuntimeStates", options, ["scopes", "clock"]);
  return new RuntimeStates({ ...options, scopes: options.scopes ?? DEFAULT_SCOPES });
}
