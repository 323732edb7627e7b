import { dirname, join, resolve } from "node:path";
import {
  checkResetPolicies,
  createSessionRouter,
  openTranscriptWriter,
  spoolFolderOf,
  sqliteStorage,
} from "@hermes/gateway-session";
import type { ResetPolicies, SessionRouter, TranscriptWriter } from "@hermes/gateway-session";
import { openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { storePlace } from "../../session-store/store-place.js";
import type { SessionStoreOptions } from "./session-store-options.js";

/** What an old session store consists of. */
export interface SessionStoreParts {
  readonly store: StateStore;
  readonly router: SessionRouter;
  readonly writer: TranscriptWriter;
  readonly policies: ResetPolicies;
}

/** The database, and the scope of its routes. */
function placeOf(path: string | undefined, sessionsDir: string | undefined): readonly [string, string] {
  const named = sessionsDir === undefined ? path : join(sessionsDir, "sessions.json");
  const { databasePath, sessionsFolder } = storePlace(named);
  const database = path === undefined ? databasePath : resolve(path);
  return [database, sessionsDir === undefined ? join(dirname(database), "sessions") : sessionsFolder];
}

/** Opens the parts; of what fails, nothing stays open. */
export async function openParts(options: SessionStoreOptions): Promise<SessionStoreParts> {
  const { path, sessionsDir, onTranscriptWarning, ...routing } = options;
  const policies = checkResetPolicies(routing.resetPolicies);
  const [database, scope] = placeOf(path, sessionsDir);
  const clocks = {
    ...(routing.clock && { clock: routing.clock }),
    ...(routing.random && { random: routing.random }),
  };
  const store = openStateStore({ path: database, ...clocks });
  try {
    const port = sqliteStorage(store);
    const routingFile = join(scope, "sessions.json");
    const onMoved = (_key: string, from: string, to: string): void => writer.moved(from, to);
    const router = await createSessionRouter(port, { routingFile, ...routing, scope, onMoved });
    const writer = openTranscriptWriter(port, {
      spoolFolder: spoolFolderOf(store.path),
      routes: {
        sessionOf: (key) => router.get(key)?.sessionId,
        materialize: (key, id) => router.materialize(key, id),
        onReroute: (key, from, to) => router.advance(key, from, to),
      },
      ...(onTranscriptWarning && { onWarning: onTranscriptWarning }),
      ...clocks,
    });
    await writer.replay();
    return { store, router, writer, policies };
  } catch (error) {
    store.close();
    throw error;
  }
}
