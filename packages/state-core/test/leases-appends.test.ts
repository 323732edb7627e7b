import { describe, expect, it } from "vitest";
import { withTurnLease } from "../src/index.js";
import type { AppendOptions, NewMessage, StateStore } from "../src/index.js";
import { dumpStore } from "./support/dump-store.js";
import { openTestStore, sql, stateErrorOf } from "./support/open-test-store.js";
import type { TestStore } from "./support/open-test-store.js";

const OTHER = "someone without a process id";

let said = 0;

/** A message nobody said before: saving marks the object it is given. */
function message(): NewMessage {
  said += 1;
  return { role: "user", content: `message ${String(said)}` };
}

function withSession(): TestStore {
  const test = openTestStore();
  test.store.sessions.create({ id: "s1", source: "cli" });
  return test;
}

/** The three ways to append. */
const WAYS: readonly [string, (store: StateStore, options: AppendOptions) => unknown][] = [
  ["append", (store, options) => store.messages.append("s1", message(), options)],
  ["appendBatch", (store, options) => store.messages.appendBatch("s1", [message(), message()], options)],
  ["saveTranscript", (store, options) => store.messages.saveTranscript("s1", [message()], options)],
];

describe.each(WAYS)("%s of a turn", (_, write) => {
  it("COR-25 goes through under its lease, and renews one whose time is over while nobody claimed it", () => {
    using test = withSession();
    const { store, clock } = test;
    const { holder } = store.leases.acquire("turn", "s1", { ttlSeconds: 10 })!;
    write(store, { turnLeaseHolder: holder });
    expect(store.leases.holder("turn", "s1")?.expiresAtSeconds).toBe(clock.now() + 10);
    clock.advance(11_000);
    const before = store.messages.count("s1");
    write(store, { turnLeaseHolder: holder });
    expect(store.messages.count("s1")).toBeGreaterThan(before);
    expect(store.leases.holder("turn", "s1")?.expiresAtSeconds).toBe(clock.now() + 300);
  });

  it("COR-25 stores nothing once the lease is another's, and does not try again", () => {
    using test = withSession();
    const { store } = test;
    store.leases.acquire("turn", "s1", { holder: OTHER });
    const before = dumpStore(store);
    const error = stateErrorOf(() => write(store, { turnLeaseHolder: "mine" }));
    expect([error.code, error.facts["heldBy"]]).toEqual(["STATE_E_TURN_LEASE_LOST", OTHER]);
    expect(dumpStore(store)).toEqual(before);
  });

  it("COR-25 asks for no lease when none is named, whoever has the turn", () => {
    using test = withSession();
    test.store.leases.acquire("turn", "s1", { holder: OTHER });
    write(test.store, {});
    expect(test.store.messages.count("s1")).toBeGreaterThan(0);
  });

  it("COR-25 an unknown option or an empty holder is a TypeError", () => {
    using test = withSession();
    expect(() => write(test.store, { turnHolder: "x" } as AppendOptions)).toThrow(TypeError);
    expect(() => write(test.store, { turnLeaseHolder: "" })).toThrow(TypeError);
    expect(test.store.messages.count("s1")).toBe(0);
  });
});

describe("a turn in a rotated conversation", () => {
  it("COR-25 COR-24 its lease stays valid in the next segment", async () => {
    using test = withSession();
    const { store } = test;
    await withTurnLease(store, "s1", (turn) => {
      const mine = { turnLeaseHolder: turn.holder };
      store.messages.append("s1", message(), mine);
      store.compaction.rotate("s1", { id: "s2" }, { messages: [message()], watermark: null, requireLease: false });
      store.messages.append("s2", message(), mine);
      sql(store, "UPDATE session_turn_leases SET holder = ?", OTHER);
      expect(stateErrorOf(() => store.messages.append("s2", message(), mine)).code).toBe("STATE_E_TURN_LEASE_LOST");
    });
    expect(store.messages.count("s2")).toBe(2);
  });
});
