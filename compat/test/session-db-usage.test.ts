import { describe, expect, it } from "vitest";
import { SessionDB } from "../src/session-db/index.js";
import { codeOf, openSessionDb } from "./support/open-session-db.js";

describe("usage in the one-object store", () => {
  it("CPT-01 adds what is given in the old order, by name, or both", () => {
    using test = openSessionDb();
    const { db } = test;
    db.createSession("s", "cli");
    db.updateTokenCounts("s", 100, 20, "m", 5, 6, 7, 0.5, null, "estimated", "table", "v1", "p", "https://x", "api", 1);
    db.updateTokenCounts("s", 10, 2, { model: "m", billingProvider: "p", apiCallCount: 2 });
    db.updateTokenCounts("s", { inputTokens: 1, model: "m", billingProvider: "p" });
    expect(db.getSession("s")).toMatchObject({
      inputTokens: 111,
      outputTokens: 22,
      cacheReadTokens: 5,
      cacheWriteTokens: 6,
      reasoningTokens: 7,
      estimatedCostUsd: 0.5,
      actualCostUsd: null,
      costStatus: "estimated",
      pricingVersion: "v1",
      billingProvider: "p",
      billingMode: "api",
      apiCallCount: 3,
      model: "m",
    });
  });

  it("CPT-01 makes a session that nobody made yet", () => {
    using test = openSessionDb();
    test.db.updateTokenCounts("new", 1, 1);
    expect(test.db.getSession("new")).toMatchObject({ source: "unknown", inputTokens: 1, apiCallCount: 0 });
  });

  it("CPT-01 takes totals in the place of what is stored: nothing said is nothing used, an unknown cost stays", () => {
    using test = openSessionDb();
    const { db } = test;
    db.updateTokenCounts("s", { inputTokens: 100, outputTokens: 20, actualCostUsd: 0.25, apiCallCount: 4 });
    db.updateTokenCounts("s", { inputTokens: 7, absolute: true });
    expect(db.getSession("s")).toMatchObject({ inputTokens: 7, outputTokens: 0, apiCallCount: 0, actualCostUsd: 0.25 });
    db.updateTokenCounts("s", { inputTokens: 3 });
    expect(db.getSession("s")).toMatchObject({ inputTokens: 10, actualCostUsd: 0.25 });
  });

  it("CPT-01 queues, and shows what is queued before it shows totals", () => {
    using test = openSessionDb();
    const { db } = test;
    db.createSession("s", "cli");
    for (let at = 0; at < 1000; at++) {
      const route = at % 2 === 0 ? { model: "a", billingProvider: "p" } : { model: "b", billingProvider: "q" };
      db.queueTokenCounts("s", { inputTokens: 2, outputTokens: 1, apiCallCount: 1, ...route });
    }
    expect(db.flushTokenCounts(1)).toBe(true);
    expect(db.getSession("s")).toMatchObject({ inputTokens: 2000, outputTokens: 1000, apiCallCount: 1000 });
    expect(db.store.usage.byModel("s").map((row) => [row.model, row.inputTokens])).toEqual([
      ["a", 1000],
      ["b", 1000],
    ]);
    db.queueTokenCounts("s", { inputTokens: 9 });
    db.updateSessionModel("s", "c");
    db.queueTokenCounts("s", { inputTokens: 5, absolute: true });
    expect(db.getSession("s")).toMatchObject({ inputTokens: 5, model: "c" });
  });

  it("CPT-01 writes at close what is still queued, and refuses more afterwards", () => {
    using test = openSessionDb();
    test.db.queueTokenCounts("s", { inputTokens: 3, task: "title" });
    test.db.createSession("s", "cli");
    test.db.queueTokenCounts("s", { inputTokens: 4 });
    test.db.close();
    expect(codeOf(() => test.db.queueTokenCounts("s", { inputTokens: 1 }))).toBe("STATE_E_CLOSED");
    using again = new SessionDB(test.path, { readOnly: true });
    expect(again.getSession("s")).toMatchObject({ inputTokens: 4 });
    expect(again.flushTokenCounts()).toBe(true);
    expect(codeOf(() => again.queueTokenCounts("s", { inputTokens: 1 }))).toBe("STATE_E_READONLY");
  });

  it("CPT-01 keeps work beside the conversation apart, as one call each", () => {
    using test = openSessionDb();
    const { db } = test;
    db.createSession("s", "cli", { model: "m" });
    const used = { model: "small", billingProvider: "p", inputTokens: 40, estimatedCostUsd: 0.01 };
    expect(db.recordAuxiliaryUsage("s", "title", used)).toBe(true);
    expect(db.recordAuxiliaryUsage("s", "title", used)).toBe(true);
    expect(db.recordAuxiliaryUsage("no", "title", used)).toBe(false);
    expect(db.recordAuxiliaryUsage("s", "", used)).toBe(false);
    expect(db.getSession("s")).toMatchObject({ inputTokens: 0, apiCallCount: 0, model: "m" });
    expect(db.store.usage.byTask("s")).toMatchObject([{ task: "title", inputTokens: 80, apiCallCount: 2 }]);
    expect(() => db.recordAuxiliaryUsage("s", "title", { inputToken: 1 } as never)).toThrow(TypeError);
  });

  it("CPT-01 refuses what cannot be a count with a type, and adds nothing", () => {
    using test = openSessionDb();
    const { db } = test;
    expect(() => db.updateTokenCounts("s", -1, 0)).toThrow(RangeError);
    expect(() => db.updateTokenCounts("s", { inputTokens: 1.5 })).toThrow(RangeError);
    expect(() => db.updateTokenCounts("s", { inputToken: 1 } as never)).toThrow(TypeError);
    expect(() => db.updateTokenCounts("s", { model: 5 } as never)).toThrow(TypeError);
    expect(() => db.updateTokenCounts("s", { absolute: "yes" } as never)).toThrow(TypeError);
    expect(() => db.queueTokenCounts("s", { inputTokens: Number.NaN })).toThrow(RangeError);
    expect(() => db.queueTokenCounts("s", { tokens: 1 } as never)).toThrow(TypeError);
    expect(() => db.flushTokenCounts(-1)).toThrow(RangeError);
    expect(db.getSession("s")).toBeNull();
  });
});

describe("facts about the file in the one-object store", () => {
  it("CPT-01 reads, sets and overwrites a fact; there is none at first", () => {
    using test = openSessionDb();
    expect(test.db.getMeta("plugin:seen")).toBeNull();
    test.db.setMeta("plugin:seen", "1");
    test.db.setMeta("plugin:seen", "2");
    expect(test.db.getMeta("plugin:seen")).toBe("2");
    expect(() => test.db.setMeta("plugin:seen", 3 as never)).toThrow(TypeError);
    expect(() => test.db.setMeta("plugin:seen", "3", { cursors: 1 } as never)).toThrow(TypeError);
  });

  it("CPT-01 sets a fact inside the caller's transaction, or not at all", () => {
    using test = openSessionDb();
    const { db } = test;
    db.store.write("a plugin's own change", (cursor) => {
      db.setMeta("plugin:a", "1", { cursor });
    });
    expect(() =>
      db.store.write("one that fails", (cursor) => {
        db.setMeta("plugin:a", "2", { cursor });
        expect(() => db.setMeta("plugin:a", 3 as never, { cursor })).toThrow(TypeError);
        throw new RangeError("on purpose");
      }),
    ).toThrow(RangeError);
    expect(db.getMeta("plugin:a")).toBe("1");
  });
});
