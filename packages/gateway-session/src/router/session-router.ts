import { checkKnownOptions } from "@hermes/state-core";
import type { RoutingEntry } from "../entry/routing-entry.js";
import { afterRestart } from "../recovery/restart.js";
import type { RestartFacts } from "../recovery/restart.js";
import { afterTurn, withoutTurn, withTurn } from "../recovery/turns.js";
import type { MessageSource } from "../source/message-source.js";
import type { Resolution } from "./resolution.js";
import { Resolver } from "./resolver.js";
import type { ResolveOptions } from "./resolver.js";
import type { RouteContext } from "./route-context.js";
import { RouteMoves } from "./route-moves.js";

/** What a start made of the routes. */
export interface RestartReport {
  /** Keys whose turn was cut off and may be taken up again. */
  readonly resumable: readonly string[];
  /** Keys that were suspended since they were interrupted again and again. */
  readonly suspended: readonly string[];
}

/** A turn that began an hour ago is not taken up. */
const MAX_TURN_AGE_SECONDS = 3600;

/**
 * Which session a peer talks in (GWS-02). Routes live in memory and in the storage; each change is one step there, and
 * of two processes the first one wins. Use {@link createSessionRouter}.
 */
export class SessionRouter extends RouteMoves {
  readonly #resolver: Resolver;
  readonly #stop: () => void;

  constructor(context: RouteContext, stop: () => void) {
    super(context);
    this.#resolver = new Resolver(context);
    this.#stop = stop;
  }

  /**
   * The session that a message belongs in. A known peer goes on where it was, also after an accident or a compaction; a
   * new one begins, and so does one whose conversation time or somebody has ended. All who ask at once get one answer.
   * While the storage does not answer, memory does, and `durable` is false.
   *
   * @throws TypeError for an unknown option or a source that is none. StateError `STATE_E_BAD_SESSION_KEY` for ids that
   * no key can be made of, `STATE_E_ROUTE_CONTESTED`.
   */
  async resolve(source: MessageSource, options: ResolveOptions = {}): Promise<Resolution> {
    checkKnownOptions("router.resolve", options, ["forceNew", "touchActivity"]);
    return this.#resolver.resolve(source, options);
  }

  /**
   * Notes that a turn runs, in the storage before anybody sees it (GWS-06).
   *
   * @returns The token of the turn; undefined when there is no route.
   */
  async beginTurn(sessionKey: string): Promise<string | undefined> {
    const token = this.context.newToken();
    const entry = await this.change(sessionKey, (now) => withTurn(now, token, this.context.now()));
    return entry?.activeTurnToken === token ? token : undefined;
  }

  /**
   * Notes that a turn is over.
   *
   * @param options - `ok`: false for one that failed; what waits to be taken up goes on waiting. Default true.
   * @returns False when another turn runs by now, or none: nothing was changed.
   */
  async endTurn(sessionKey: string, token: string, options: { readonly ok?: boolean } = {}): Promise<boolean> {
    checkKnownOptions("router.endTurn", options, ["ok"]);
    const { ok = true } = options;
    let mine = false;
    await this.change(sessionKey, (entry) => {
      mine = entry.activeTurnToken === token;
      if (!mine) return undefined;
      return ok ? afterTurn(entry) : withoutTurn(entry);
    });
    return mine;
  }

  /**
   * Takes in how the last run ended, once at the start and before the first message (GWS-06).
   *
   * @param facts - `clean`: whether it stopped by itself. A turn that began more than `maxTurnAgeSeconds` ago (default
   * an hour) is not taken up again.
   */
  async recover(facts: { readonly clean: boolean; readonly maxTurnAgeSeconds?: number }): Promise<RestartReport> {
    checkKnownOptions("router.recover", facts, ["clean", "maxTurnAgeSeconds"]);
    const { clean, maxTurnAgeSeconds = MAX_TURN_AGE_SECONDS } = facts;
    const whole: RestartFacts = { clean, now: this.context.now(), maxTurnAgeSeconds };
    const changed: RoutingEntry[] = [];
    for (const { sessionKey } of this.list()) {
      let after: RoutingEntry | undefined;
      const entry = await this.change(sessionKey, (before) => (after = afterRestart(before, whole)));
      if (entry && after) changed.push(entry);
    }
    const keys = (fits: (entry: RoutingEntry) => boolean): string[] =>
      changed.filter(fits).map(({ sessionKey }) => sessionKey);
    return {
      resumable: keys((entry) => entry.resumePending && !entry.suspended),
      suspended: keys((entry) => entry.suspended),
    };
  }

  /** Stores what only memory knows yet. @returns The keys that the storage did not take; they are tried again. */
  flush(): Promise<readonly string[]> {
    return this.context.keeper.flush();
  }

  /** Finishes what was asked for and stores what memory knows. The storage stays open: it is the caller's. */
  async close(): Promise<void> {
    this.#stop();
    await this.context.keeper.queue.idle();
    await this.flush();
  }
}
