import { spawnNode, tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { betterSqlite3Driver, openStateStore } from "../src/index.js";
import { childScript, startWorker } from "./worker.js";
import type { Worker } from "./worker.js";

const CHILD = "queue-usage.mjs";

function openWithSession(path: string): ReturnType<typeof openStateStore> {
  const store = openStateStore({ path });
  store.sessions.create({ id: "s1", source: "test" });
  return store;
}

describe("a process that never closes its store", () => {
  it.each([
    ["comes to its end", "end", 10],
    ["calls process.exit", "exit", 10],
    ["dies of an error", "throw", 10],
    ["queues once more when it is over", "late", 15],
  ])("COR-04 stores what it queued when it %s", async (_, way, total) => {
    using dir = tempDir("usage");
    const path = dir.file("state.db");
    openWithSession(path).close();
    await using child = spawnNode(childScript(CHILD), [path, way]);
    const end = await child.exit;
    using store = openStateStore({ path });
    expect(store.sessions.get("s1").inputTokens, end.stderr).toBe(total);
    expect(end.timedOut).toBe(false);
    if (way === "late") expect(end.stdout).toBe("STATE_E_SHUTDOWN");
  });

  it.each(["collectFlushed", "collectQueued"])("COR-04 is not kept from collecting it (%s), and loses nothing", async (way) => {
    using dir = tempDir("usage");
    const path = dir.file("state.db");
    openWithSession(path).close();
    await using child = spawnNode(childScript(CHILD), [path, way], { execArgv: ["--expose-gc"] });
    const end = await child.exit;
    expect(end.stdout, end.stderr).toBe("collected");
    using store = openStateStore({ path });
    expect(store.sessions.get("s1").inputTokens).toBe(10);
  });

  it("COR-04 says what it could not store because another process held the file to the end", async () => {
    using dir = tempDir("usage");
    const path = dir.file("state.db");
    using store = openWithSession(path);
    await using child = spawnNode(childScript(CHILD), [path, "held"]);
    await child.waitForLine((line) => line === "open");
    const holder = betterSqlite3Driver.open(path, { readonly: false, busyTimeoutMs: 1000 });
    try {
      holder.exec("BEGIN IMMEDIATE");
      child.send("go");
      const end = await child.exit;
      expect(end.stderr).toContain("HERMES_STATE_USAGE_LOST");
      expect(end.stderr).toContain("1 queued");
    } finally {
      holder.close();
    }
    expect(store.sessions.get("s1").inputTokens).toBe(0);
  });
});

/** Two processes with the file open, and calls that both make at the same time. */
async function race(path: string, calls: (n: number) => readonly (readonly unknown[])[]): Promise<unknown[][]> {
  const workers: Worker[] = [];
  try {
    for (let n = 0; n < 2; n++) workers.push(await startWorker());
    await Promise.all(workers.map((worker) => worker.call("open", { path })));
    const answers = await Promise.all(
      workers.map((worker, n) => worker.call<{ result?: unknown; error?: string }[]>("calls", calls(n))),
    );
    return answers.map((answer) => answer.map(({ result, error }) => error ?? result));
  } finally {
    await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
  }
}

const MANY = Array.from({ length: 100 }, (_, n) => `s${String(n)}`);

describe("two processes at once", () => {
  it("T4 COR-36 claim each handoff once, and each delivery once", async () => {
    using dir = tempDir("claims");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path });
      for (const id of MANY) {
        store.sessions.create({ id, source: "test" });
        store.handoff.request(id, "telegram");
        store.delegations.save(id, { originSession: "k", state: "done", dispatchedAtSeconds: 1 });
      }
    }
    const [one = [], two = []] = await race(path, (n) =>
      MANY.flatMap((id) => [
        ["handoff", "claim", id],
        ["delegations", "claimDelivery", id, `process ${String(n)}`],
      ]),
    );
    expect(one.map((won, index) => won !== two[index])).toEqual(one.map(() => true));
    using store = openStateStore({ path });
    for (const [index, id] of MANY.entries()) {
      expect(store.handoff.get(id).state).toBe("running");
      const winner = one[index * 2 + 1] === true ? 0 : 1;
      expect(store.delegations.find(id)).toMatchObject({ deliveryClaim: `process ${String(winner)}`, deliveryAttempts: 1 });
    }
  });

  it("COR-29 a rename by hand survives every automatic title, whichever comes later", async () => {
    using dir = tempDir("titles");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path });
      for (const id of MANY) store.sessions.create({ id, source: "test" });
    }
    const [byHand = []] = await race(path, (n) =>
      MANY.flatMap((id, index): unknown[][] =>
        n === 0
          ? [["titles", "set", id, `mine ${String(index)}`]]
          : [
              ["titles", "setAuto", id, `derived ${String(index)}`, "derived"],
              ["titles", "setAuto", id, `written ${String(index)}`, "llm"],
            ],
      ),
    );
    using store = openStateStore({ path });
    expect(byHand).toEqual(MANY.map((_, index) => `mine ${String(index)}`));
    for (const [index, id] of MANY.entries()) {
      expect(store.titles.bySession(id)).toEqual({ title: `mine ${String(index)}`, source: "user" });
    }
  });

  it("COR-29 one title has one holder, and the other process is told by code", async () => {
    using dir = tempDir("titles");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path });
      for (const id of MANY) store.sessions.create({ id, source: "test" });
    }
    const half = MANY.length / 2;
    const [one = [], two = []] = await race(path, (n) =>
      MANY.slice(0, half).map((_, index) => ["titles", "set", MANY[index + n * half], `orchid ${String(index)}`]),
    );
    for (const [index, mine] of one.entries()) {
      expect(new Set([mine, two[index]])).toEqual(new Set([`orchid ${String(index)}`, "STATE_E_TITLE_TAKEN"]));
    }
  });

  it("COR-32 COR-36 lose no record of usage, no failure in a streak and no route", async () => {
    using dir = tempDir("usage");
    const path = dir.file("state.db");
    openWithSession(path).close();
    await race(path, (n) => [
      ...MANY.map((key) => ["routing", "save", "", `${key}:${String(n)}`, { session_id: key }]),
      ...MANY.map(() => ["usage", "record", "s1", { inputTokens: 1, model: "m", billingProvider: "p" }]),
      ...MANY.map(() => ["usage", "queue", "s1", { inputTokens: 10, model: "m", billingProvider: "p" }]),
      ...MANY.map(() => ["routing", "countHygieneFailure", "k"]),
      ["usage", "flush"],
    ]);
    using store = openStateStore({ path });
    expect(store.sessions.get("s1")).toMatchObject({ inputTokens: 2200, apiCallCount: 400 });
    expect(store.usage.byModel("s1")).toMatchObject([{ inputTokens: 2200, apiCallCount: 400 }]);
    expect([store.routing.hygieneFailures("k"), store.routing.load("").length]).toEqual([200, 200]);
  });

  it("COR-30 flags set at the same time on two ends of a conversation leave it of one mind", async () => {
    using dir = tempDir("flags");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path });
      store.sessions.create({ id: "root", source: "test" });
      store.sessions.end("root", "compression");
      store.sessions.create({ id: "tip", source: "test", parentSessionId: "root" });
    }
    await race(path, (n) =>
      MANY.map((_, index) => ["sessions", "setFlag", n === 0 ? "root" : "tip", "pinned", index % 2 === n]),
    );
    using store = openStateStore({ path });
    expect(store.sessions.get("root").pinned).toBe(store.sessions.get("tip").pinned);
  });
});
