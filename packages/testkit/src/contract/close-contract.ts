import { expect, it } from "vitest";
import { type ContractBench, refusalOf } from "./contract-bench.js";

/** Registers tests of what a close must do, and what two stores on one file must see. */
export function closeContract(bench: () => ContractBench): void {
  it("COR-03 closes twice, and refuses everything after that by code", async () => {
    const { store } = bench();
    await store.sessions.create({ id: "s1", source: "cli" });
    await store.close();
    await store.close();
    const calls: (() => unknown)[] = [
      () => store.sessions.get("s1"),
      () => store.sessions.list({}),
      () => store.messages.append("s1", { role: "user", content: "x" }),
      () => store.messages.count("s1"),
      () => store.meta.get("x"),
    ];
    for (const call of calls) expect(await refusalOf(call)).toBe("STATE_E_CLOSED");
  });

  it("GND-02 two stores on one file see each other's rows", async () => {
    const other = await bench().openAnother();
    try {
      await bench().store.sessions.create({ id: "s1", source: "cli" });
      await other.messages.append("s1", { role: "user", content: "x" });
      await bench().store.messages.append("s1", { role: "user", content: "y" });
      expect([await other.messages.count("s1"), await bench().store.messages.count("s1")]).toEqual([2, 2]);
    } finally {
      await other.close();
    }
    expect(await bench().store.messages.count("s1")).toBe(2);
  });
}
