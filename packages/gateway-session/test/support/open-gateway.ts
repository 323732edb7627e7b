import { openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { tempDir, testClock, testRandom } from "@hermes/testkit";
import type { TestClock } from "@hermes/testkit";
import { createSessionRouter, sqliteStorage } from "../../src/index.js";
import type {
  GatewayWarning,
  MessageSource,
  RouterOptions,
  SessionRouter,
  SessionStoragePort,
} from "../../src/index.js";

/** A gateway over a store in a folder of its own. */
export interface TestGateway extends AsyncDisposable {
  readonly path: string;
  readonly clock: TestClock;
  readonly warnings: GatewayWarning[];
  store: StateStore;
  router: SessionRouter;
  /** Says something as a peer: resolve, row, message. @returns The session. */
  say(source: MessageSource, content?: string): Promise<string>;
  /** Closes and opens again, as a restart. @param kill - Without storing what memory alone knows. */
  restart(options?: Partial<RouterOptions> & { readonly kill?: boolean }): Promise<void>;
}

/** What the port of a gateway is wrapped in. */
export type Wrap = (port: SessionStoragePort) => SessionStoragePort;

const START = 1_800_000_000;

/** Opens a gateway; the scope is "/srv/sessions" and touches are stored by flush alone. */
export async function openGateway(options: Partial<RouterOptions> = {}, wrap: Wrap = (p) => p): Promise<TestGateway> {
  const dir = tempDir();
  const path = `${dir.path}/state.db`;
  const clock = testClock(START);
  const random = testRandom(7);
  const warnings: GatewayWarning[] = [];
  const openStore = (): StateStore => openStateStore({ path, clock, random });
  const openRouter = (store: StateStore, more: Partial<RouterOptions> = {}): Promise<SessionRouter> =>
    createSessionRouter(wrap(sqliteStorage(store)), {
      scope: "/srv/sessions",
      zone: "UTC",
      touchDelayMs: 0,
      clock,
      random,
      onWarning: (warning) => warnings.push(warning),
      ...options,
      ...more,
    });
  const store = openStore();
  const gateway: TestGateway = {
    path,
    clock,
    warnings,
    store,
    router: await openRouter(store),
    async say(source, content = "hello") {
      const { sessionKey, sessionId } = await gateway.router.resolve(source);
      const row = await gateway.router.materialize(sessionKey, sessionId);
      gateway.store.messages.append(row ?? sessionId, { role: "user", content });
      return sessionId;
    },
    async restart({ kill = false, ...more } = {}) {
      if (!kill) await gateway.router.close();
      gateway.store.close();
      gateway.store = openStore();
      gateway.router = await openRouter(gateway.store, more);
    },
    async [Symbol.asyncDispose]() {
      await gateway.router.close();
      gateway.store.close();
      dir[Symbol.dispose]();
    },
  };
  return gateway;
}
