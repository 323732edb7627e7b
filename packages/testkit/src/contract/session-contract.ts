import { expect, it } from "vitest";
import { type ContractBench, refusalOf } from "./contract-bench.js";

/** Registers tests of what a store must do with sessions. */
export function sessionContract(bench: () => ContractBench): void {
  it("COR-20 creates a session and finds it after a reopen", async () => {
    const fields = { id: "s1", source: "cli", model: "m", startedAtSeconds: 12.5 };
    const created = await bench().store.sessions.create(fields);
    expect(created).toMatchObject({ ...fields, messageCount: 0 });
    await bench().reopen();
    expect(await bench().store.sessions.get("s1")).toMatchObject({ id: "s1", model: "m", startedAtSeconds: 12.5 });
    expect(await bench().store.sessions.count({})).toBe(1);
  });

  it("COR-20 makes ids of its own that differ", async () => {
    const { sessions } = bench().store;
    const ids = [(await sessions.create({ source: "cli" })).id, (await sessions.create({ source: "cli" })).id];
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => id.length > 0)).toBe(true);
  });

  it("COR-20 refuses a second session of one id and leaves the first as it is", async () => {
    const { sessions } = bench().store;
    await sessions.create({ id: "s1", source: "cli" });
    const again = { id: "s1", source: "other", model: "m" };
    expect(await refusalOf(() => sessions.create(again))).toBe("STATE_E_SESSION_EXISTS");
    expect(await sessions.get("s1")).toMatchObject({ source: "cli", model: null });
  });

  it("COR-20 ensure fills what is empty and changes nothing that is not", async () => {
    const { sessions } = bench().store;
    await sessions.ensure({ id: "s1", source: "cli" });
    await sessions.ensure({ id: "s1", source: "telegram", model: "first" });
    await sessions.ensure({ id: "s1", source: "telegram", model: "second" });
    expect(await sessions.get("s1")).toMatchObject({ source: "cli", model: "first" });
    expect(await sessions.count({})).toBe(1);
  });

  it("COR-20 the first end reason wins, and reopen clears it", async () => {
    const { sessions } = bench().store;
    await sessions.create({ id: "s1", source: "cli" });
    await sessions.end("s1", "compression");
    const { endedAtSeconds } = await sessions.get("s1");
    await sessions.end("s1", "done");
    expect(await sessions.get("s1")).toMatchObject({ endReason: "compression", endedAtSeconds });
    await sessions.reopen("s1");
    expect(await sessions.get("s1")).toMatchObject({ endReason: null, endedAtSeconds: null });
  });

  it("GND-04 get throws for an unknown session, find does not", async () => {
    const { sessions } = bench().store;
    expect(await refusalOf(() => sessions.get("nope"))).toBe("STATE_E_SESSION_NOT_FOUND");
    expect(await sessions.find("nope")).toBeUndefined();
  });

  it("COR-20 refuses a parent that does not exist, and stores nothing", async () => {
    const { sessions } = bench().store;
    const orphan = { id: "s1", source: "cli", parentSessionId: "nope" };
    expect(await refusalOf(() => sessions.create(orphan))).toBe("STATE_E_PARENT_NOT_FOUND");
    expect(await sessions.count({})).toBe(0);
  });

  it("COR-31 lists the newest session first", async () => {
    const { sessions } = bench().store;
    for (const [id, startedAtSeconds] of [["b", 200], ["c", 300], ["a", 100]] as const) {
      await sessions.create({ id, source: "cli", startedAtSeconds });
    }
    expect((await sessions.list({})).sessions.map((row) => row.id)).toEqual(["c", "b", "a"]);
  });

  it("COR-36 keeps meta values, and tells an absent key", async () => {
    const { meta } = bench().store;
    await meta.set("contract:key", "1");
    await meta.set("contract:key", "2");
    await bench().reopen();
    expect(await bench().store.meta.get("contract:key")).toBe("2");
    expect(await bench().store.meta.get("contract:other")).toBeUndefined();
  });
}
