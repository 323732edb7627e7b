import { seedFor } from "@hermes/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withAdoption } from "../src/index.js";
import type { MessageRow, NewMessage, StateStore } from "../src/index.js";
import { checkIndexes, dumpStore, wrongCounters } from "./support/dump-store.js";
import { openTestStore, stateErrorOf } from "./support/open-test-store.js";

type State = "live" | "compacted" | "hidden";

/** A message as the naive model knows it: its text, and its place in the order of all messages. */
interface Entry {
  readonly text: string;
  readonly place: number;
  state: State;
}

/** One segment, with what its compactor noted when it began. */
interface Segment {
  readonly id: string;
  readonly entries: Entry[];
}

type Step =
  | { readonly kind: "append"; readonly to: number; readonly count: number }
  | { readonly kind: "begin" }
  | { readonly kind: "archive"; readonly tail: number }
  | { readonly kind: "rotate"; readonly own: number; readonly bound: "ids" | "ceiling" }
  | { readonly kind: "fail"; readonly what: "archive" | "rotate" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("append" as const), to: fc.nat(9), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant("append" as const), to: fc.nat(9), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant("begin" as const) }),
  fc.record({ kind: fc.constant("archive" as const), tail: fc.nat(3) }),
  fc.record({
    kind: fc.constant("rotate" as const),
    own: fc.nat(2),
    bound: fc.constantFrom("ids" as const, "ceiling" as const),
  }),
  fc.record({ kind: fc.constant("fail" as const), what: fc.constantFrom("archive" as const, "rotate" as const) }),
);

const HOLDER = "pid=1:tid=1:agent=ab:nonce=00000000";

/** The store and the model side by side; the model knows nothing of ids, flags, tables or transactions. */
class Pair {
  readonly segments: Segment[] = [{ id: "s0", entries: [] }];
  /** What had been said when the running summary was begun; nothing runs when undefined. */
  watermark: { readonly id: number; readonly place: number } | undefined;
  #places = 0;
  #names = 0;

  constructor(readonly store: StateStore) {
    store.sessions.create({ id: "s0", source: "cli" });
    this.#lock();
  }

  get tip(): Segment {
    return this.segments.at(-1)!;
  }

  run(step: Step): void {
    switch (step.kind) {
      case "append":
        for (let n = 0; n < step.count; n++) this.append(this.segments[step.to % this.segments.length]!.id);
        return;
      case "begin":
        this.watermark = this.begin();
        return;
      case "archive":
        this.archive(step.tail);
        return;
      case "rotate":
        this.rotate(step.own, step.bound);
        return;
      case "fail":
        this.fail(step.what);
    }
  }

  /** A client may know any segment; what it says belongs to the tip. */
  append(sessionId: string): number {
    const text = this.#name("m");
    const receipt = withAdoption(this.store, sessionId, (id) => this.store.messages.append(id, say(text)));
    expect(receipt.sessionId).toBe(this.tip.id);
    this.#enter(this.tip, text);
    return receipt.id;
  }

  begin(): { readonly id: number; readonly place: number } {
    return { id: this.store.compaction.watermark(this.tip.id), place: this.#places };
  }

  archive(wanted: number): void {
    const { id, place } = this.watermark ?? this.begin();
    const below = this.#live().filter((entry) => entry.place <= place);
    const tail = this.#live().filter((entry) => entry.place > place);
    const carried = wanted === 0 ? [] : below.slice(-wanted);
    const summary = this.#name("summary");
    const messages = [summary, ...carried.map((entry) => entry.text)].map(say);
    const options = { watermark: id, holder: HOLDER, tailCount: carried.length };
    const receipt = this.store.compaction.archive(this.tip.id, messages, options);
    for (const entry of below) entry.state = carried.includes(entry) ? "hidden" : "compacted";
    for (const entry of tail) entry.state = "hidden";
    for (const text of [summary, ...[...carried, ...tail].map((entry) => entry.text)]) this.#enter(this.tip, text);
    expect(receipt).toEqual({
      activeCount: 1 + carried.length + tail.length,
      archivedCount: below.length,
      carriedCount: tail.length,
    });
    this.watermark = undefined;
  }

  rotate(own: number, bound: "ids" | "ceiling"): void {
    const { id, place } = this.watermark ?? this.begin();
    const parent = this.tip;
    const tail = this.#live().filter((entry) => entry.place > place);
    const ceiling = this.store.compaction.ceiling(parent.id);
    const before = this.#places;
    const ownIds = Array.from({ length: own }, () => this.append(parent.id));
    const flushed = parent.entries.filter((entry) => entry.place > before).map((entry) => entry.text);
    const child = { id: `s${String(this.segments.length)}`, entries: [] };
    const texts = [this.#name("summary"), ...flushed];
    const receipt = this.store.compaction.rotate(
      parent.id,
      { id: child.id },
      {
        messages: texts.map(say),
        watermark: id,
        holder: HOLDER,
        ...(bound === "ids" ? { ownIds } : { ceiling }),
      },
    );
    this.segments.push(child);
    for (const text of [...texts, ...tail.map((entry) => entry.text)]) this.#enter(child, text);
    const activeCount = texts.length + tail.length;
    expect(receipt).toEqual({ sessionId: child.id, activeCount, carriedCount: tail.length });
    this.watermark = undefined;
    this.#lock();
  }

  /** An attempt whose lease is another's. */
  fail(what: "archive" | "rotate"): void {
    const before = dumpStore(this.store);
    const { compaction } = this.store;
    const claim = { watermark: 1, holder: "pid=1:nonce=ffffffff" };
    const { code } = stateErrorOf(() =>
      what === "archive"
        ? compaction.archive(this.tip.id, [say("lost")], claim)
        : compaction.rotate(this.tip.id, {}, { ...claim, messages: [say("lost")] }),
    );
    expect(code).toBe("STATE_E_COMPRESSION_BUSY");
    expect(dumpStore(this.store)).toEqual(before);
  }

  check(): void {
    const { store } = this;
    const ids = this.segments.map((segment) => segment.id);
    expect(store.lineage.chain(ids[0]!)).toEqual(ids);
    for (const { id, entries } of this.segments) {
      const rows = store.messages.page(id, { include: "all", limit: 1000 }).messages;
      const stored = rows.map((row) => [row.content, stateOf(row)]);
      expect([id, stored]).toEqual([id, entries.map(({ text, state }) => [text, state])]);
      const live = entries.filter((entry) => entry.state === "live").map((entry) => entry.text);
      expect(store.messages.conversation(id).messages.map((message) => message.content)).toEqual(live);
      // Whatever happened, nothing is shown twice.
      const shown = entries.filter((entry) => entry.state !== "hidden").map((entry) => entry.text);
      expect(new Set(shown).size).toBe(shown.length);
    }
    expect(wrongCounters(store)).toEqual([]);
    // Nothing that was acknowledged is gone: somewhere along the lineage it is still to be seen.
    const seen = new Set(this.segments.flatMap(({ id }) => visible(store, id)));
    for (let n = 1; n <= this.#names; n++) {
      expect([...seen].filter((text) => text.endsWith(` ${String(n)}`))).toHaveLength(1);
    }
  }

  #live(): Entry[] {
    return this.tip.entries.filter((entry) => entry.state === "live");
  }

  #enter(segment: Segment, text: string): void {
    this.#places += 1;
    segment.entries.push({ text, place: this.#places, state: "live" });
  }

  #name(what: string): string {
    this.#names += 1;
    return `${what} ${String(this.#names)}`;
  }

  #lock(): void {
    this.store.leases.acquire("compression", this.tip.id, { holder: HOLDER });
  }
}

function say(content: string): NewMessage {
  return { role: "user", content };
}

function stateOf({ active, compacted }: MessageRow): State {
  if (active) return "live";
  return compacted ? "compacted" : "hidden";
}

function visible(store: StateStore, id: string): string[] {
  return store.messages.page(id, { include: "visible", limit: 1000 }).messages.map((row) => row.content as string);
}

describe("compactions against a naive model", () => {
  it("COR-24 COR-22 any sequence of appends, summaries and failures gives the model's rows, order and counters", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 14, size: "max" }), (steps) => {
        using test = openTestStore();
        const pair = new Pair(test.store);
        for (const step of steps) {
          pair.run(step);
          pair.check();
        }
        checkIndexes(test.store);
      }),
      { seed: seedFor("COR-24 compaction model"), numRuns: 40 },
    );
  });
});
