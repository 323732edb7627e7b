import type { MessageSource } from "@hermes/gateway-session";
import { callArguments } from "../../session-db/call-arguments.js";
import { flagOf } from "../../session-db/flag-of.js";
import { numberArgument, textArgument } from "../../session-db/one-argument.js";
import type { Alone } from "../../session-db/one-argument.js";
import type { SessionEntry } from "../session/session-entry.js";
import { SessionStoreBase } from "./session-store-base.js";

/** Which session a peer talks in, under the old names. */
export abstract class SessionStoreRoutes extends SessionStoreBase {
  /** Whether anybody has talked here before, beside the conversation that is just beginning. */
  async hasAnySessions(): Promise<boolean> {
    return (await this.parts()).router.hasAny();
  }

  /**
   * The session of a peer, begun where there is none; its row is there, unless the storage does not answer.
   *
   * @param args - `forceNew`, alone or by name with `touchActivity`.
   */
  async getOrCreateSession(
    source: MessageSource,
    ...args: readonly [(boolean | { readonly forceNew?: boolean; readonly touchActivity?: boolean })?]
  ): Promise<SessionEntry> {
    const what = "SessionStore.getOrCreateSession";
    const given = callArguments(what, args, ["forceNew"], ["touchActivity"]);
    const { router } = await this.parts();
    const { sessionKey, sessionId, entry, durable } = await router.resolve(source, {
      forceNew: flagOf(`${what}: forceNew`, given["forceNew"]),
      touchActivity: flagOf(`${what}: touchActivity`, given["touchActivity"] ?? true),
    });
    if (durable) await router.materialize(sessionKey, sessionId);
    return this.entryOf(router.get(sessionKey) ?? entry) as SessionEntry;
  }

  /** Begins a new session for a peer that asks for it. @returns Null for an unknown key. */
  async resetSession(
    sessionKey: string,
    displayName?: Alone<"displayName", string | null> | null,
  ): Promise<SessionEntry | null> {
    const name = textArgument("SessionStore.resetSession", "displayName", displayName);
    const { router } = await this.parts();
    const entry = await router.reset(sessionKey);
    if (!entry) return null;
    await router.materialize(sessionKey, entry.sessionId);
    const named = name ? await router.setDisplayName(sessionKey, name) : router.get(sessionKey);
    return this.entryOf(named ?? entry);
  }

  /**
   * Leads a peer into another session; the one it was in ends.
   *
   * @returns Null for an unknown key.
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`; `STATE_E_SESSION_ROUTED` when another peer talks there.
   */
  async switchSession(sessionKey: string, targetSessionId: string): Promise<SessionEntry | null> {
    const { router } = await this.parts();
    return this.entryOf(await router.switchTo(sessionKey, targetSessionId));
  }

  /** Follows a compaction. @returns Null when the route does not lead to the expected session any more. */
  async advanceCompressionSession(
    sessionKey: string,
    expectedSessionId: string,
    targetSessionId: string,
  ): Promise<SessionEntry | null> {
    const { router } = await this.parts();
    return this.entryOf(await router.advance(sessionKey, expectedSessionId, targetSessionId));
  }

  /** The routes, the last active first; with real activity in so many minutes. */
  async listSessions(activeMinutes?: Alone<"activeMinutes", number | null> | null): Promise<SessionEntry[]> {
    const minutes = numberArgument("SessionStore.listSessions", "activeMinutes", activeMinutes);
    const { router } = await this.parts();
    const entries = router.list(minutes === undefined ? {} : { activeMinutes: minutes });
    return entries.map((entry) => this.entryOf(entry) as SessionEntry);
  }

  /** The route that leads to a session. */
  async lookupBySessionId(sessionId: string): Promise<SessionEntry | null> {
    return this.entryOf((await this.parts()).router.bySession(sessionId));
  }

  /** The session of a key; nothing is begun or touched. */
  async peekSessionId(sessionKey: string): Promise<string | null> {
    return (await this.parts()).router.get(sessionKey)?.sessionId ?? null;
  }

  /** Drops routes without activity for so many days; transcripts stay. @returns How many. */
  async pruneOldEntries(maxAgeDays: number): Promise<number> {
    return (await (await this.parts()).router.prune(maxAgeDays)).length;
  }
}
