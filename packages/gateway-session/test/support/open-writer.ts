import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { contentText, openStateStore } from "@hermes/state-core";
import type { NewMessage, StateStore } from "@hermes/state-core";
import { tempDir, testClock, testRandom } from "@hermes/testkit";
import type { TestClock } from "@hermes/testkit";
import { openTranscriptWriter, spoolFolderOf, sqliteStorage } from "../../src/index.js";
import type { SessionStoragePort, TranscriptRoutes, TranscriptWarning, TranscriptWriter } from "../../src/index.js";

/** A transcript writer over a real store in a folder of its own, and a port that fails as it is told. */
export interface TestWriter extends AsyncDisposable {
  readonly folder: string;
  readonly clock: TestClock;
  readonly warnings: TranscriptWarning[];
  /** What was stored, in order, as "session text". */
  readonly appended: string[];
  store: StateStore;
  writer: TranscriptWriter;
  /** Called before each append; what it throws, the store answers. */
  fault: (sessionId: string, message: NewMessage) => unknown;
  /** Forgets the writer as if the process had died, and opens another one. */
  die(): void;
  /** Files in the spool that wait to be stored, the text of each. */
  spooled(): string[];
  /** Names of everything in the spool. */
  names(): string[];
  /** What a session holds, oldest first. */
  texts(sessionId: string): string[];
}

/** What the port is wrapped in. */
export type Wrap = (port: SessionStoragePort) => SessionStoragePort;

export const START = 1_800_000_000;

export function user(content: string, more: Partial<NewMessage> = {}): NewMessage {
  return { role: "user", content, ...more };
}

function faulty(port: SessionStoragePort, test: Pick<TestWriter, "fault" | "appended">): SessionStoragePort {
  return {
    ...port,
    async append(sessionId, message, options) {
      await test.fault(sessionId, message);
      const receipt = await port.append(sessionId, message, options);
      if (!receipt.existing) test.appended.push(`${sessionId} ${contentText(message.content)}`);
      return receipt;
    },
  };
}

export function openWriter(routes: TranscriptRoutes = {}, wrap: Wrap = (port) => port): TestWriter {
  const dir = tempDir("transcript");
  const clock = testClock(START);
  const random = testRandom(11);
  const path = dir.file("state.db");
  const folder = spoolFolderOf(path);
  const warnings: TranscriptWarning[] = [];
  const open = (): TranscriptWriter =>
    openTranscriptWriter(faulty(wrap(sqliteStorage(test.store)), test), {
      spoolFolder: folder,
      routes,
      onWarning: (warning) => warnings.push(warning),
      clock,
      random,
    });
  const names = (): string[] => (existsSync(folder) ? readdirSync(folder).sort() : []);
  const test = {
    folder,
    clock,
    warnings,
    appended: [] as string[],
    store: openStateStore({ path, clock }),
    fault: (): unknown => undefined,
    names,
    spooled: () =>
      names()
        .filter((name) => /^pending-.*\.json$/.test(name))
        .map((name) => readFileSync(join(folder, name), "utf8")),
    texts: (sessionId: string) =>
      [...test.store.messages.iterate(sessionId)].map(({ content }) => contentText(content)),
    die: () => {
      // A dead process holds no lock; what it has in memory is gone.
      const locks = names().filter((name) => name.endsWith(".lock"));
      for (const lock of locks) rmSync(join(folder, lock));
      test.writer = open();
    },
    async [Symbol.asyncDispose]() {
      test.fault = () => undefined;
      await test.writer.close();
      test.store.close();
      dir[Symbol.dispose]();
    },
  } as unknown as TestWriter;
  test.store.sessions.create({ id: "s1", source: "telegram" });
  test.writer = open();
  return test;
}
