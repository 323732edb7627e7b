import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStateStore } from "@hermes/state-core";
import { messageText } from "./message-text.js";
import { seeded } from "./seeded.js";

const SESSIONS = 200;
const MESSAGES_PER_SESSION = 15;
const LONG_SESSION_MESSAGES = 1_000;
const WORDS = 180;

/** The session with 1,000 messages. */
export const LONG_SESSION = "long";

/** Seeded stores in a folder of their own, removed with it. */
export class Corpus implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "hermes-bench-"));
  readonly #template = join(this.#folder, "template.db");
  #copies = 0;

  constructor() {
    const random = seeded(7);
    using store = openStateStore({ path: this.#template });
    const fill = (id: string, count: number): void => {
      store.sessions.create({ id, source: "cli", startedAtSeconds: 1_700_000_000 + this.#copies });
      store.messages.appendBatch(id, conversation(random, count));
    };
    for (let index = 0; index < SESSIONS; index++) fill(`s${index}`, MESSAGES_PER_SESSION);
    fill(LONG_SESSION, LONG_SESSION_MESSAGES);
  }

  /** A fresh copy of the seeded store, which nobody has open. */
  copy(): string {
    const path = join(this.#folder, `copy-${++this.#copies}.db`);
    copyFileSync(this.#template, path);
    return path;
  }

  /** Removes one copy and its sidecars. */
  remove(path: string): void {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A conversation of `count` messages, user and assistant in turn. */
export function conversation(random: () => number, count: number): { role: string; content: string }[] {
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: messageText(random, WORDS),
  }));
}
