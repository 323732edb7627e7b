import { isFinalizable, resolvePolicy } from "@hermes/gateway-session";
import type { ModelOverride, RoutingEntry } from "@hermes/gateway-session";
import type { JsonValue } from "@hermes/state-core";
import { callArguments } from "../../session-db/call-arguments.js";
import { flagArgument, numberArgument, textArgument } from "../../session-db/one-argument.js";
import type { Alone } from "../../session-db/one-argument.js";
import { SessionStoreRoutes } from "./session-store-routes.js";

const TURN_SECONDS = 3_600;
const RECENT_SECONDS = 120;

/** What is noted on a route, under the old names. */
export abstract class SessionStoreMarks extends SessionStoreRoutes {
  /**
   * Ends the session of an entry for good, unless its route leads elsewhere by now.
   *
   * @param clearModelOverride - Alone or by name. Default false.
   * @returns Whether it has ended.
   */
  async setExpiryFinalized(
    entry: Pick<RoutingEntry, "sessionKey" | "sessionId">,
    clearModelOverride?: Alone<"clearModelOverride", boolean>,
  ): Promise<boolean> {
    const clears = flagArgument("SessionStore.setExpiryFinalized", "clearModelOverride", clearModelOverride);
    const { router } = await this.parts();
    return router.finalize(entry.sessionKey, entry.sessionId, { clearModelOverride: clears });
  }

  /** Whether time ends the session of an entry, so that no sweep of idle ones may. */
  async isSessionFinalizable(entry: Pick<RoutingEntry, "origin" | "platform" | "chatType">): Promise<boolean> {
    const { policies } = await this.parts();
    const { platform, chatType, origin } = entry;
    return isFinalizable(() => resolvePolicy(policies, origin ?? { platform: platform ?? "", chatType }));
  }

  /** Real activity of a peer, and how large its last prompt was. @returns Whether there is a route. */
  async updateSession(
    sessionKey: string,
    lastPromptTokens?: Alone<"lastPromptTokens", number | null> | null,
  ): Promise<boolean> {
    const what = "SessionStore.updateSession";
    const tokens = numberArgument(what, "lastPromptTokens", lastPromptTokens);
    const { router } = await this.parts();
    const touched = await router.touch(sessionKey);
    if (tokens !== undefined) await router.recordUsage(sessionKey, { lastPromptTokens: tokens });
    return touched !== undefined;
  }

  /** What a host keeps beside a route under one key. */
  async getSessionMetadata(
    sessionKey: string,
    key: string,
    fallback?: Alone<"default", JsonValue>,
  ): Promise<JsonValue> {
    const what = "SessionStore.getSessionMetadata";
    const given = callArguments(what, [fallback], ["default"], [], ["default"]) as { readonly default?: JsonValue };
    const otherwise = given.default ?? null;
    const entry = (await this.parts()).router.get(sessionKey);
    return entry && Object.hasOwn(entry.metadata, key) ? (entry.metadata[key] ?? otherwise) : otherwise;
  }

  /** Keeps a value beside a route; null takes it out. @returns Whether there is a route. */
  async setSessionMetadata(sessionKey: string, key: string, value: JsonValue): Promise<boolean> {
    return (await (await this.parts()).router.setMetadata(sessionKey, { [key]: value })) !== undefined;
  }

  /** The model a peer chose; null takes the choice back. Credentials are never kept. */
  async setModelOverride(sessionKey: string, override: ModelOverride | null): Promise<boolean> {
    return (await (await this.parts()).router.setModelOverride(sessionKey, override)) !== undefined;
  }

  async getModelOverride(sessionKey: string): Promise<ModelOverride | null> {
    return (await this.parts()).router.get(sessionKey)?.modelOverride ?? null;
  }

  /** The next message of the peer begins a new session. @returns Whether there is a route. */
  async suspendSession(sessionKey: string): Promise<boolean> {
    return (await (await this.parts()).router.suspend(sessionKey)) !== undefined;
  }

  /** Notes that a turn runs. @returns Its token; null for an unknown key. */
  async markTurnActive(sessionKey: string): Promise<string | null> {
    return (await (await this.parts()).router.beginTurn(sessionKey)) ?? null;
  }

  /** Notes that a turn is over; what waits to be taken up goes on waiting. @returns False for another's token. */
  async clearTurnActive(sessionKey: string, token: string): Promise<boolean> {
    return (await this.parts()).router.endTurn(sessionKey, token, { ok: false });
  }

  /** Takes in that the last run did not stop by itself. @returns How many turns may be taken up again. */
  async recoverInterruptedTurns(maxAgeSeconds?: Alone<"maxAgeSeconds", number>): Promise<number> {
    const age = numberArgument("SessionStore.recoverInterruptedTurns", "maxAgeSeconds", maxAgeSeconds) ?? TURN_SECONDS;
    const { router } = await this.parts();
    return (await router.recover({ clean: false, maxTurnAgeSeconds: age })).resumable.length;
  }

  /** Takes in that the last run stopped by itself: no turn runs. @returns How many marks were left. */
  async discardActiveTurnMarkers(): Promise<number> {
    const { router } = await this.parts();
    const left = router.list().filter((entry) => entry.activeTurnToken !== null).length;
    await router.recover({ clean: true });
    return left;
  }

  /** A turn was cut off and may be taken up again. @returns Whether it may: a suspended route stays as it is. */
  async markResumePending(sessionKey: string, reason?: Alone<"reason", string>): Promise<boolean> {
    const why = textArgument("SessionStore.markResumePending", "reason", reason) ?? "restart_timeout";
    return (await (await this.parts()).router.markResumePending(sessionKey, why))?.resumePending ?? false;
  }

  /** The turn was taken up and went well. @returns Whether one waited for that. */
  async clearResumePending(sessionKey: string): Promise<boolean> {
    const { router } = await this.parts();
    const waited = router.get(sessionKey)?.resumePending === true;
    await router.clearResumePending(sessionKey);
    return waited;
  }

  /** Marks every route with real activity in the last seconds as cut off. @returns How many. */
  async suspendRecentlyActive(maxAgeSeconds?: Alone<"maxAgeSeconds", number>): Promise<number> {
    const age = numberArgument("SessionStore.suspendRecentlyActive", "maxAgeSeconds", maxAgeSeconds) ?? RECENT_SECONDS;
    return (await this.parts()).router.suspendRecentlyActive(age);
  }
}
