import { openStateStore, type StateStore } from "@hermes/state-core";
import { type TempDir, tempDir, testClock } from "@hermes/testkit";

/** A store with short ways to fill it. */
export interface SessionFixture extends Disposable {
  readonly dir: TempDir;
  readonly store: StateStore;
  create(id: string, more?: object): void;
  /** @returns The id of the message. */
  say(sessionId: string, content: unknown, more?: object): number;
}

/** Opens a store in a folder of its own, with a clock that moves one second per message. */
export function sessionFixture(name: string): SessionFixture {
  const dir = tempDir(name);
  const clock = testClock();
  const store = openStateStore({ path: dir.file("state.db"), clock });
  return {
    dir,
    store,
    create(id, more = {}) {
      clock.advance(1000);
      store.sessions.create({ id, source: "cli", ...more });
    },
    say(sessionId, content, more = {}) {
      clock.advance(1000);
      return store.messages.append(sessionId, { role: "user", content: content as string, ...more }).id;
    },
    [Symbol.dispose]() {
      store.close();
      dir[Symbol.dispose]();
    },
  };
}
