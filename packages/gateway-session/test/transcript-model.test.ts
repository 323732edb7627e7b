import { existsSync, readdirSync, rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { openStateStore, StateError } from "@hermes/state-core";
import type * as Core from "@hermes/state-core";
import { builtPackage, seedFor, tempDir, testClock, testRandom } from "@hermes/testkit";
import type { TestRandom } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openTranscriptWriter, sqliteStorage } from "../src/index.js";
import type { SessionStoragePort, TranscriptWriter } from "../src/index.js";
import { memoryPort } from "./memory-port.js";
import type { MemoryPort } from "./memory-port.js";
import { user } from "./support/open-writer.js";

// The worker is a file of the build.
const { openStateStoreAsync } = (await import(builtPackage("state-core"))) as typeof Core;

const ROOTS = ["s0", "s1", "s2"];
const RUNS = 30;
const STEPS = 60;

async function makeRoots(port: SessionStoragePort): Promise<void> {
  for (const id of ROOTS) {
    await port.transition({
      scope: "",
      sessionKey: id,
      entry: null,
      create: { id, source: "telegram", sessionKey: id },
    });
  }
}

async function openStorage(kind: string, path: string): Promise<AsyncDisposable & { port: SessionStoragePort }> {
  if (kind === "memory") {
    return { port: memoryPort({ clock: testClock() }), [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const store = kind === "a store" ? openStateStore({ path }) : await openStateStoreAsync({ path });
  return { port: sqliteStorage(store), [Symbol.asyncDispose]: async () => store.close() };
}

/** A gateway whose storage fails, whose process dies and whose conversations are rotated, and what it was told. */
class Model implements AsyncDisposable {
  readonly #random: TestRandom;
  readonly #clock = testClock();
  readonly #port: MemoryPort = memoryPort({ clock: this.#clock });
  readonly #dir = tempDir("model");
  readonly #folder = this.#dir.file("spool");
  readonly #tips = new Map(ROOTS.map((id) => [id, id]));
  /** Segments of each conversation before the last. */
  readonly #told = new Map(ROOTS.map((id) => [id, [] as string[]]));
  readonly acknowledged: string[] = [];
  #fault: "none" | "before" | "after" = "none";
  #count = 0;
  #writer: TranscriptWriter;

  constructor(random: TestRandom) {
    this.#random = random;
    this.#writer = this.#open();
  }

  start(): Promise<void> {
    return makeRoots(this.#port);
  }

  #open(): TranscriptWriter {
    const failing: SessionStoragePort = {
      ...this.#port,
      append: async (...args) => {
        if (this.#random.int(0, 3) === 0) await setTimeout(0);
        if (this.#fault === "before") throw new StateError("STATE_E_BUSY", "database is locked");
        const receipt = await this.#port.append(...args);
        if (this.#fault === "after") throw new StateError("STATE_E_IO", "the answer was lost");
        return receipt;
      },
    };
    return openTranscriptWriter(failing, { spoolFolder: this.#folder, clock: this.#clock, random: this.#random });
  }

  async #say(root: string, sessionId: string): Promise<void> {
    const text = `${root} ${String((this.#count += 1)).padStart(5, "0")}`;
    const options = { durable: this.#random.int(0, 3) === 0 };
    const receipt = await this.#writer.append({ sessionId }, user(text), options);
    if (receipt.durable) this.acknowledged.push(text);
  }

  /** Some hold the first id of a conversation, some were told the last by the router, which tells the writer too. */
  #idOf(root: string): string {
    const sessionId = this.#random.int(0, 1) === 0 ? root : (this.#tips.get(root) ?? root);
    if (sessionId !== root) this.#told.get(root)?.forEach((segment) => this.#writer.moved(segment, sessionId));
    return sessionId;
  }

  async step(): Promise<void> {
    const root = this.#random.pick(ROOTS);
    const id = this.#idOf(root);
    switch (this.#random.int(0, 11)) {
      case 0:
        this.#fault = this.#random.pick(["none", "none", "before", "after"] as const);
        break;
      case 1: {
        const tip = `${root}.${String((this.#count += 1))}`;
        this.#port.rotate(this.#tips.get(root) ?? root, tip);
        this.#told.get(root)?.push(this.#tips.get(root) ?? root);
        this.#tips.set(root, tip);
        break;
      }
      case 2:
        await this.#writer.close();
        this.#writer = this.#open();
        break;
      case 3:
        this.#die();
        break;
      case 4:
        await this.#writer.replay();
        break;
      case 5:
        this.#clock.set(this.#clock.now() + this.#random.int(-50, 50));
        break;
      case 6:
        await Promise.all([this.#say(root, id), this.#say(root, id), this.#say(root, id), this.#writer.flush()]);
        break;
      default:
        await this.#say(root, id);
    }
  }

  /** The lock of a dead process is free, and what it knew is gone. */
  #die(): void {
    const locks = existsSync(this.#folder) ? readdirSync(this.#folder).filter((name) => name.endsWith(".lock")) : [];
    for (const lock of locks) rmSync(`${this.#folder}/${lock}`);
    this.#writer = this.#open();
  }

  /** Everything that was said, in the order it is stored. */
  async stored(): Promise<string[]> {
    this.#fault = "none";
    await this.#writer.replay();
    expect(this.#writer.backlog()).toEqual({ sessions: 0, queued: 0, spooled: 0 });
    const texts = this.#port.tables.messages.map(({ message }) => message.content as string);
    return texts.filter((text) => text !== "summary");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close();
    this.#dir[Symbol.dispose]();
  }
}

describe("transcripts against what they promise", () => {
  it("GWS-05 whatever fails, dies, rotates and comes back: acknowledged once, in order, nothing twice", async () => {
    const seed = seedFor("GWS-05 transcripts against what they promise");
    let most = 0;
    for (let run = 0; run < RUNS; run++) {
      await using model = new Model(testRandom(seed + run));
      await model.start();
      for (let step = 0; step < STEPS; step++) await model.step();
      const stored = await model.stored();
      const context = `run ${String(run)}`;
      expect(new Set(stored).size, context).toBe(stored.length);
      expect(
        model.acknowledged.filter((text) => !stored.includes(text)),
        context,
      ).toEqual([]);
      most = Math.max(most, stored.length);
      for (const root of ROOTS) {
        const said = stored.filter((text) => text.startsWith(root));
        expect(said, `${context} ${root}`).toEqual([...said].sort());
      }
    }
    expect(most).toBeGreaterThan(10);
  }, 120_000);
});

describe("transcripts over every kind of storage", () => {
  it.each(["memory", "a store", "a store in a worker"])("GWS-10 GWS-05 are the same over %s", async (kind) => {
    using dir = tempDir("storages");
    await using storage = await openStorage(kind, dir.file("state.db"));
    const { port } = storage;
    await makeRoots(port);
    await using writer = openTranscriptWriter(port, { spoolFolder: dir.file("spool") });
    const target = { sessionId: "s0" };
    const said = Array.from({ length: 30 }, (_, n) =>
      writer.append({ sessionId: ROOTS[n % 3]! }, user(`m${String(n)}`)),
    );
    const loaded = writer.load(target);
    const rewritten = writer.rewrite(target, [user("x")], "all");
    const last = writer.append(target, user("last"));
    expect((await Promise.all(said)).every(({ state }) => state === "stored")).toBe(true);
    expect((await loaded).messages.map(({ content }) => content)).toEqual(
      Array.from({ length: 10 }, (_, n) => `m${String(n * 3)}`),
    );
    await rewritten;
    await last;
    expect((await writer.load(target)).messages.map(({ content }) => content)).toEqual(["x", "last"]);
    expect(await writer.rewind(target)).toMatchObject({ rewoundCount: 1 });
    if (kind !== "memory")
      await expect(writer.append(target, user("bad", { toolName: 1 as never }))).rejects.toThrow(TypeError);
  });
});
