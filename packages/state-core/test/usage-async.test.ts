import { tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import type * as Core from "../src/index.js";

// The worker is a file of the build, so the build is what is tested here.
const built: string = "../dist/index.js";
const { openStateStore, openStateStoreAsync } = (await import(built)) as typeof Core;

describe("usage off the event loop", () => {
  it("COR-38 COR-04 is queued, flushed and drained at close by the worker", async () => {
    using dir = tempDir("async");
    const path = dir.file("state.db");
    {
      await using store = await openStateStoreAsync({ path });
      await store.sessions.create({ id: "s1", source: "cli" });
      await store.usage.queue("s1", { inputTokens: 1, model: "m" });
      expect(await store.usage.flush()).toBe(true);
      expect((await store.usage.byModel("s1")).map((row) => row.inputTokens)).toEqual([1]);
      await store.usage.queue("s1", { inputTokens: 2, model: "m" });
    }
    using store = openStateStore({ path });
    expect(store.sessions.get("s1").inputTokens).toBe(3);
  });

  it("COR-38 COR-36 the parts of a gateway, and methods that a part inherits, are served too", async () => {
    using dir = tempDir("async");
    await using store = await openStateStoreAsync({ path: dir.file("state.db") });
    await store.sessions.create({ id: "s1", source: "cli" });
    await store.sessions.updateModel("s1", "m");
    await store.sessions.backfillRepoRoots(new Map([["/a", "/b"]]));
    await store.routing.replace("", new Map([["k", { session_id: "s1" }]]));
    expect((await store.routing.load("")).map((row) => row.entry)).toEqual([{ session_id: "s1" }]);
    expect([await store.routing.countHygieneFailure("k"), await store.routing.hygieneFailures("k")]).toEqual([1, 1]);
    expect([await store.handoff.request("s1", "telegram"), await store.handoff.claim("s1")]).toEqual([true, true]);
    await store.delegations.save("d", { originSession: "k", state: "done", dispatchedAtSeconds: 1 });
    expect(await store.delegations.list()).toHaveLength(1);
    expect(await store.topics.mode("c1")).toBeUndefined();
    for (const name of ["constructor", "hasOwnProperty", "toString", "nope"]) {
      const sessions = store.sessions as unknown as Record<string, () => Promise<unknown>>;
      await expect(sessions[name]?.()).rejects.toThrow(TypeError);
    }
  });
});
