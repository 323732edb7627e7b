import { seedFor, testRandom } from "@hermes/testkit";
import type { TestRandom } from "@hermes/testkit";
import { expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import type { MessageReceipt, NewMessage, StateStore } from "../src/index.js";
import { checkIndexes, wrongCounters } from "./support/dump-store.js";
import { openTestStore } from "./support/open-test-store.js";
import type { TestStore } from "./support/open-test-store.js";

const ROUNDS = 12;
const STEPS = 30;

/** A row as the naive model knows it; its place in the list is its order, and the only order there is. */
interface Row {
  readonly id: number;
  readonly role: string;
  readonly text: string;
  readonly seconds: number;
  state: "live" | "compacted" | "hidden";
}

type Stored = Pick<MessageReceipt, "id" | "timestampSeconds">;

const isShown = (row: Row): boolean => row.state !== "hidden";
const isSame = (a: Row, b: Row): boolean => a.role === b.role && a.text === b.text && a.seconds === b.seconds;

/** The store and a list of rows side by side; the list knows nothing of SQL, indexes or markers. */
class Pair {
  rows: Row[] = [];
  #names = 0;

  constructor(
    readonly test: TestStore,
    readonly random: TestRandom,
  ) {
    this.store.sessions.create({ id: "s1", source: "cli" });
  }

  get store(): StateStore {
    return this.test.store;
  }

  /** A message with a text that is new or has been said before, and sometimes with a moment of its own. */
  say(role: string = this.random.pick(["user", "assistant", "tool"])): NewMessage {
    const content = this.random.next() < 0.2 ? "ok" : `m${String(this.#names++)}`;
    const timed = this.random.next() < 0.3;
    return timed ? { role, content, timestampSeconds: this.random.int(100, 103) } : { role, content };
  }

  sayMany(most: number): NewMessage[] {
    return Array.from({ length: this.random.int(1, most) }, () => this.say());
  }

  /** Enters what became rows of the store; the moment is the store's. */
  enter(messages: readonly NewMessage[], receipts: readonly Stored[]): void {
    expect(receipts).toHaveLength(messages.length);
    messages.forEach(({ role, content }, index) => {
      const { id, timestampSeconds: seconds = NaN } = receipts[index]!;
      this.rows.push({ id, role, text: content as string, seconds, state: "live" });
    });
  }

  live(): Row[] {
    return this.rows.filter((row) => row.state === "live");
  }

  copy(list: readonly NewMessage[]): NewMessage[] {
    const ways: ((messages: readonly NewMessage[]) => NewMessage[])[] = [
      (messages) => messages.map((message) => ({ ...message })),
      (messages) => structuredClone([...messages]),
      (messages) => JSON.parse(JSON.stringify(messages)) as NewMessage[],
    ];
    return this.random.pick(ways)(list);
  }

  save(): void {
    const { messages } = this.store;
    const loaded = this.copy(messages.conversation("s1").messages);
    const kept = loaded.filter(() => this.random.next() < 0.8);
    const fresh = this.sayMany(4);
    // What is left out is still stored, so what is new may well repeat it.
    const saved = messages.saveTranscript("s1", [...kept, ...fresh], { repeated: "append" });
    this.enter(fresh, saved.appended);
    expect(messages.saveTranscript("s1", this.copy(saved.messages)).appended).toEqual([]);
  }

  rewind(): void {
    const users = this.rows.filter((row) => row.role === "user" && row.state !== "compacted");
    if (users.length === 0) return;
    const target = this.random.pick(users);
    this.store.messages.rewindTo("s1", target.id);
    for (const row of this.live()) if (row.id >= target.id) row.state = "hidden";
  }

  restore(): void {
    const from = this.rows.length === 0 ? 0 : this.random.pick(this.rows).id;
    const back = this.rows.filter((row, index) => {
      if (row.state !== "hidden" || row.id < from) return false;
      const wasCompacted = this.rows.slice(0, index).some((earlier) => earlier.state === "compacted");
      const later = this.rows.slice(index + 1).filter((other) => isSame(other, row));
      return !later.some((other) => isShown(other) || wasCompacted);
    });
    expect(this.store.messages.restoreFrom("s1", from).restoredCount).toBe(back.length);
    for (const row of back) row.state = "live";
  }

  replace(): void {
    const mode = this.random.pick(["all", "active-only", "archive-dropped"] as const);
    const list = this.copy(this.store.messages.conversation("s1").messages).filter(() => this.random.next() < 0.7);
    const fresh = [...list, ...this.sayMany(2)];
    const replaced = this.store.messages.replace("s1", fresh, mode);
    if (mode === "all") this.rows = [];
    if (mode === "active-only") this.rows = this.rows.filter((row) => row.state !== "live");
    for (const row of this.live()) row.state = "hidden";
    this.enter(fresh, replaced.receipts);
  }

  compact(): void {
    const live = this.live();
    if (live.length === 0) return;
    const carried = live.slice(-this.random.int(1, 3));
    const { messages, compaction } = this.store;
    const list = messages.conversation("s1").messages.slice(-carried.length);
    const summary = this.say("user");
    const watermark = compaction.watermark("s1");
    compaction.archive("s1", [summary, ...list], { watermark, tailCount: carried.length });
    for (const row of live) row.state = carried.includes(row) ? "hidden" : "compacted";
    const fresh = messages.page("s1", { limit: 10_000 }).messages.filter((row) => row.id > watermark);
    this.enter([summary, ...list], fresh);
  }

  step(): void {
    this.test.clock.advance(this.random.pick([0, 0, 1000, 61_000]));
    const { messages } = this.store;
    const kind = this.random.int(0, 9);
    if (kind <= 1) {
      const message = this.say();
      this.enter([message], [messages.append("s1", message)]);
    } else if (kind === 2) {
      const batch = this.sayMany(8);
      this.enter(batch, messages.appendBatch("s1", batch));
    } else if (kind === 3) {
      using other = openStateStore({ path: this.test.path, clock: this.test.clock });
      const message = this.say();
      this.enter([message], [other.messages.append("s1", message)]);
    } else if (kind <= 5) this.save();
    else if (kind === 6) this.rewind();
    else if (kind === 7) this.restore();
    else if (kind === 8) this.replace();
    else this.compact();
  }

  /** Each message once, where it stood first: the live row for it, else the newest. */
  shown(): number[] {
    const visible = this.rows.filter(isShown);
    const firsts = visible.filter((row, index) => !visible.slice(0, index).some((earlier) => isSame(earlier, row)));
    return firsts.map((first) => {
      const group = visible.filter((row) => isSame(row, first));
      return (group.findLast((row) => row.state === "live") ?? group.at(-1)!).id;
    });
  }

  check(): void {
    const { messages } = this.store;
    const texts = (list: readonly { content: unknown }[]): unknown[] => list.map((message) => message.content);
    expect(texts(messages.conversation("s1").messages)).toEqual(this.live().map((row) => row.text));
    expect([...messages.iterate("s1", { include: "all" })].map((row) => row.id)).toEqual(this.rows.map((row) => row.id));
    const shown = this.shown();
    expect(messages.page("s1", { include: "visible", limit: 10_000 }).messages.map((row) => row.id)).toEqual(shown);
    expect(messages.count("s1", "visible")).toBe(shown.length);
    const limit = this.random.int(1, 5);
    const newest = messages.page("s1", { include: "visible", order: "newest", limit }).messages;
    expect(newest.map((row) => row.id)).toEqual(shown.toReversed().slice(0, limit));
    const turns = messages.recentUserTurns("s1", 1000).map((turn) => turn.id);
    expect(turns).toEqual(this.live().filter((row) => row.role === "user").map((row) => row.id).toReversed());
    expect(wrongCounters(this.store)).toEqual([]);
  }
}

it("COR-22 COR-23 COR-27 COR-28 order, states and histories are those of a naive list, whatever is done", () => {
  const seed = seedFor("order, states and histories");
  for (let round = 0; round < ROUNDS; round++) {
    using test = openTestStore();
    const pair = new Pair(test, testRandom(seed + round));
    for (let step = 0; step < STEPS; step++) {
      pair.step();
      pair.check();
    }
    checkIndexes(test.store);
  }
}, 120_000);
