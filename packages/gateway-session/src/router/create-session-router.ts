import { checkKnownOptions, systemClock, systemRandom } from "@hermes/state-core";
import { readRoutingFile } from "../entry/read-routing-file.js";
import { checkResetPolicies } from "../policy/reset-policies.js";
import { checkTimeZone } from "../policy/wall-clock.js";
import type { SessionStoragePort } from "../port/session-storage-port.js";
import { DelayedFlush } from "./delayed-flush.js";
import { reconcileEnded } from "./reconcile.js";
import { RouteContext } from "./route-context.js";
import { RouteKeeper } from "./route-keeper.js";
import { ROUTER_OPTIONS } from "./router-options.js";
import type { GatewayWarning, RouterOptions } from "./router-options.js";
import { SessionRouter } from "./session-router.js";

const TOUCH_DELAY_MS = 1000;

function checkOptions(options: RouterOptions): { readonly scope: string; readonly delayMs: number } {
  checkKnownOptions("createSessionRouter", options, ROUTER_OPTIONS);
  const { scope, touchDelayMs: delayMs = TOUCH_DELAY_MS } = options;
  if (typeof scope !== "string") throw new TypeError("createSessionRouter: scope must be a string.");
  if (!Number.isFinite(delayMs) || delayMs < 0) {
    throw new RangeError(`createSessionRouter: touchDelayMs must be 0 or more, not ${String(delayMs)}.`);
  }
  return { scope, delayMs };
}

/** Takes over what the scope lacks from the file of older programs; the file stays as it is. */
async function importRoutingFile(port: SessionStoragePort, scope: string, path: string, warn: Warn): Promise<void> {
  const { entries, skipped, problem } = readRoutingFile(path);
  if (problem !== undefined) warn({ kind: "bad-entry", detail: problem });
  for (const { sessionKey, reason } of skipped) warn({ kind: "bad-entry", sessionKey, detail: reason });
  if (entries.size > 0) await port.addMissingRoutes(scope, entries);
}

type Warn = (warning: GatewayWarning) => void;

/**
 * A router over the routes of one scope. It loads them all, takes over what an older routing file has and the storage
 * lacks, and puts right what ended while nobody routed. A storage that does not answer is a warning: routes are then
 * found one by one, or begun, and stored when it does.
 *
 * @example
 * ```ts
 * using store = openStateStore({ path: "state.db" });
 * const router = await createSessionRouter(sqliteStorage(store), { scope: "/srv/agent/sessions" });
 * const { sessionId } = await router.resolve({ platform: "telegram", chatId: "42", chatType: "dm" });
 * ```
 * @throws TypeError or RangeError for a wrong option. StateError `STATE_E_BAD_RESET_POLICY`, `STATE_E_BAD_TIME_ZONE`.
 */
export async function createSessionRouter(port: SessionStoragePort, options: RouterOptions): Promise<SessionRouter> {
  const { scope, delayMs } = checkOptions(options);
  const { clock = systemClock, random = systemRandom, sharing = {}, onMoved, routingFile } = options;
  const warn: Warn = (warning) => options.onWarning?.(warning);
  const flusher = new DelayedFlush(delayMs, () => void keeper.flush());
  const keeper = new RouteKeeper({
    port,
    scope,
    warn,
    touched: () => flusher.note(),
    moved: async (sessionKey, from, to) => onMoved?.(sessionKey, from, to),
  });
  const context = new RouteContext({
    port,
    keeper,
    policies: checkResetPolicies(options.resetPolicies),
    sharing,
    zone: options.zone === undefined ? undefined : checkTimeZone(options.zone),
    clock,
    random,
    probe: options.backgroundWork,
    warn,
  });
  try {
    if (routingFile !== undefined) await importRoutingFile(port, scope, routingFile, warn);
    await reconcileEnded(context, await keeper.loadAll());
  } catch (error) {
    warn({ kind: "storage", detail: String(error) });
  }
  return new SessionRouter(context, () => flusher.stop());
}
