import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSessionRouter, openTranscriptWriter, spoolFolderOf, sqliteStorage } from "@hermes/gateway-session";
import type { MessageSource, RestartReport, SessionRouter, TranscriptWriter } from "@hermes/gateway-session";
import { openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import type { Settings } from "./settings.js";

/** A store, who talks in which of its sessions, and what is said there. */
export interface Gateway {
  readonly store: StateStore;
  readonly router: SessionRouter;
  readonly writer: TranscriptWriter;
  readonly settings: Settings;
  /** What the last run left unfinished. */
  readonly restart: RestartReport;
  /** Stores what is known and says that this run ended by itself. */
  close(): Promise<void>;
}

/** The source of what a peer says. @param messageId - What its program calls the message. */
export function sourceOf(peer: string, messageId?: string): MessageSource {
  const id = messageId === undefined ? {} : { messageId };
  return { platform: "api_server", chatType: "dm", chatId: peer, userId: peer, userName: peer, ...id };
}

/** Opens a gateway and finds out how the last run ended: the mark is there only after a clean stop. */
export async function openGateway(settings: Settings): Promise<Gateway> {
  const { home } = settings;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const mark = join(home, ".clean-stop");
  const store = openStateStore({ path: join(home, "state.db") });
  const port = sqliteStorage(store);
  const warn = (warning: object): void => console.error(JSON.stringify(warning));
  const router: SessionRouter = await createSessionRouter(port, {
    scope: home,
    onMoved: (_, from, to) => writer.moved(from, to),
    onWarning: warn,
  });
  const writer = openTranscriptWriter(port, {
    spoolFolder: spoolFolderOf(store.path),
    routes: {
      sessionOf: (key) => router.get(key)?.sessionId,
      materialize: (key, sessionId) => router.materialize(key, sessionId),
      onReroute: (key, from, to) => router.advance(key, from, to),
    },
    onWarning: warn,
  });
  await writer.replay();
  const clean = takeMark(mark);
  return {
    store,
    router,
    writer,
    settings,
    restart: await router.recover({ clean }),
    async close() {
      await writer.close();
      await router.close();
      store.close();
      writeFileSync(mark, "");
    },
  };
}

function takeMark(mark: string): boolean {
  try {
    rmSync(mark);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
