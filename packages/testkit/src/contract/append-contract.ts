import { expect, it } from "vitest";
import { type ContractBench, refusalOf } from "./contract-bench.js";

/** Registers tests of what a store must do with appends. */
export function appendContract(bench: () => ContractBench): void {
  it("COR-21 what an append acknowledged is there after a reopen, and counted", async () => {
    const { sessions, messages } = bench().store;
    await sessions.create({ id: "s1", source: "cli" });
    const receipt = await messages.append("s1", { role: "user", content: "hello" });
    expect(receipt).toMatchObject({ sessionId: "s1", existing: false });
    await messages.append("s1", { role: "assistant", content: "", toolCalls: [{ id: "a" }, { id: "b" }] });
    await messages.append("s1", { role: "tool", content: "out", toolCallId: "a" });
    await bench().reopen();
    expect(await bench().store.messages.get(receipt.id)).toMatchObject({ role: "user", content: "hello" });
    expect(await bench().store.sessions.get("s1")).toMatchObject({ messageCount: 3, toolCallCount: 2 });
    expect(await bench().store.messages.count("s1")).toBe(3);
  });

  it("COR-21 a batch is all or nothing", async () => {
    const { sessions, messages } = bench().store;
    await sessions.create({ id: "s1", source: "cli" });
    const receipts = await messages.appendBatch("s1", [
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
    ]);
    expect(receipts).toHaveLength(2);
    const bad = [{ role: "user", content: "three" }, { role: "user", timestampSeconds: Number.NaN }];
    expect(await refusalOf(() => messages.appendBatch("s1", bad))).not.toBe("no error");
    expect(await messages.count("s1")).toBe(2);
    expect(await sessions.get("s1")).toMatchObject({ messageCount: 2 });
    expect(await messages.appendBatch("s1", [])).toEqual([]);
  });

  it("P14 COR-21 a platform id is stored once, and repeats without one are all stored", async () => {
    const { sessions } = bench().store;
    await sessions.create({ id: "s1", source: "cli" });
    await sessions.create({ id: "s2", source: "cli" });
    const first = await bench().store.messages.append("s1", { role: "user", content: "hi", platformMessageId: "m1" });
    await bench().reopen();
    const { messages } = bench().store;
    const second = await messages.append("s1", { role: "user", content: "hi", platformMessageId: "m1" });
    expect(second).toMatchObject({ id: first.id, existing: true });
    const other = await messages.append("s1", { role: "user", content: "hi", platformMessageId: "m2" });
    expect(other).toMatchObject({ existing: false });
    const elsewhere = await messages.append("s2", { role: "user", content: "hi", platformMessageId: "m1" });
    expect(elsewhere).toMatchObject({ sessionId: "s2", existing: false });
    await messages.append("s1", { role: "user", content: "hi" });
    await messages.append("s1", { role: "user", content: "hi" });
    expect(await messages.count("s1")).toBe(4);
    expect(await bench().store.sessions.get("s1")).toMatchObject({ messageCount: 4 });
  });

  it("COR-21 refuses an unknown session", async () => {
    const { messages } = bench().store;
    const calls = [
      () => messages.append("nope", { role: "user", content: "x" }),
      () => messages.appendBatch("nope", [{ role: "user", content: "x" }]),
      () => messages.conversation("nope", { includeRowIds: true }),
      () => messages.count("nope"),
    ];
    for (const call of calls) expect(await refusalOf(call)).toBe("STATE_E_SESSION_NOT_FOUND");
  });

  it("COR-21 refuses a session that compression closed, and stores nothing", async () => {
    const { sessions, messages } = bench().store;
    await sessions.create({ id: "s1", source: "cli" });
    await messages.append("s1", { role: "user", content: "before" });
    await sessions.end("s1", "compression");
    await sessions.create({ id: "s2", source: "cli", parentSessionId: "s1" });
    const late = { role: "user", content: "late" };
    expect(await refusalOf(() => messages.append("s1", late))).toBe("STATE_E_COMPRESSION_CLOSED");
    expect(await messages.count("s1")).toBe(1);
  });
}
