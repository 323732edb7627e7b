import { describe, expect, it } from "vitest";
import type { StateStore } from "../src/index.js";
import { wrongCounters } from "./support/dump-store.js";
import { failAtEveryStatement } from "./support/every-statement.js";

const HOLDER = "pid=1:tid=1:agent=ab:nonce=00000000";

function texts(store: StateStore, sessionId: string): unknown[] {
  return store.messages.conversation(sessionId).messages.map((message) => message.content);
}

/** Five messages of which the first three are summarised, and a lease. */
function lay(store: StateStore): void {
  store.sessions.create({ id: "s1", source: "cli", modelConfig: { model: "m" }, systemPrompt: "be brief" });
  for (const n of [1, 2, 3, 4, 5]) {
    store.messages.append("s1", {
      role: n % 2 ? "user" : "assistant",
      content: `message ${String(n)}`,
      ...(n % 2 === 0 && { toolCalls: [{ id: `c${String(n)}` }, { id: `d${String(n)}` }] }),
    });
  }
  store.leases.acquire("compression", "s1", { holder: HOLDER });
}

describe("a failure at every statement", () => {
  it("COR-24 P17 of a compaction in place leaves the conversation as it was, to the last byte", () => {
    using after = failAtEveryStatement({
      lay,
      act: (store) =>
        store.compaction.archive("s1", [{ role: "user", content: "summary" }, { role: "assistant", content: "carried" }], {
          watermark: 4,
          holder: HOLDER,
          tailCount: 1,
          configPatch: { compacted: 1 },
        }),
    });
    expect(after.statements).toBeGreaterThanOrEqual(12);
    expect(texts(after.store, "s1")).toEqual(["summary", "carried", "message 5"]);
    expect(wrongCounters(after.store)).toEqual([]);
  });

  it("COR-24 P17 of a rotation leaves the parent live, without a child", () => {
    using after = failAtEveryStatement({
      lay,
      act: (store) =>
        store.compaction.rotate(
          "s1",
          { id: "s2", title: "next", systemPrompt: "be briefer" },
          {
            // Enough of them to be indexed at once.
            messages: ["summary", "b", "c", "d"].map((content) => ({ role: "user", content })),
            watermark: 3,
            ceiling: 4,
            holder: HOLDER,
            refreshTtlSeconds: 300,
          },
        ),
    });
    expect(after.statements).toBeGreaterThanOrEqual(20);
    expect(texts(after.store, "s2")).toEqual(["summary", "b", "c", "d", "message 4"]);
    expect(after.store.sessions.get("s1")).toMatchObject({ endReason: "compression" });
    expect(wrongCounters(after.store)).toEqual([]);
  });

  it("COR-24 is noticed when a write is two transactions (planted)", () => {
    const planted = (): unknown =>
      failAtEveryStatement({
        lay,
        act: (store) => {
          store.messages.append("s1", { role: "user", content: "first half" });
          store.messages.append("s1", { role: "user", content: "second half" });
        },
      });
    expect(planted).toThrow(/after a failure at statement/);
  });

  it("COR-25 of taking a lease leaves the old one in place", () => {
    using after = failAtEveryStatement({
      lay: (store, clock) => {
        lay(store);
        store.leases.acquire("turn", "s1", { holder: "unstructured", ttlSeconds: 10 });
        clock.advance(11_000);
      },
      act: (store) => {
        if (!store.leases.acquire("turn", "s1", { holder: HOLDER })) throw new Error("not acquired");
      },
    });
    expect(after.statements).toBeGreaterThanOrEqual(6);
    expect(after.store.leases.holder("turn", "s1")?.holder).toBe(HOLDER);
  });

  it("COR-26 of reopening an orphan leaves it closed", () => {
    using after = failAtEveryStatement({
      lay: (store, clock) => {
        lay(store);
        store.sessions.end("s1", "compression");
        clock.advance(301_000);
      },
      act: (store) => {
        if (!store.lineage.reopenOrphan("s1")) throw new Error("not reopened");
      },
    });
    expect(after.statements).toBeGreaterThanOrEqual(5);
    expect(after.store.sessions.get("s1").endReason).toBeNull();
    expect(after.store.leases.list("compression")).toEqual([]);
  });
});
