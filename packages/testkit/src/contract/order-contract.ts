import { expect, it } from "vitest";
import type { ContractBench } from "./contract-bench.js";

/** Registers tests of the order a store must read in. */
export function orderContract(bench: () => ContractBench): void {
  it("P13 COR-22 reads in insertion order although the clock stepped back", async () => {
    const { sessions, messages } = bench().store;
    await sessions.create({ id: "s1", source: "cli" });
    const stamps = [100, 99, 101, 101, 101];
    const ids: number[] = [];
    for (const timestampSeconds of stamps) {
      ids.push((await messages.append("s1", { role: "user", content: "x", timestampSeconds })).id);
    }
    const transcript = await messages.conversation("s1", { includeRowIds: true });
    expect(transcript.messages.map((message) => message.id)).toEqual(ids);
    expect(transcript.messages.map((message) => message.timestampSeconds)).toEqual(stamps);
  });

  it.each([0, 1, 2, 7, 8])("COR-22 pages through %i messages completely, in both directions", async (total) => {
    const { sessions, messages } = bench().store;
    await sessions.create({ id: "s1", source: "cli" });
    const batch = Array.from({ length: total }, (_, index) => ({ role: "user", content: String(index) }));
    const ids = (await messages.appendBatch("s1", batch)).map((receipt) => receipt.id);
    for (const order of ["oldest", "newest"] as const) {
      const seen: (number | undefined)[] = [];
      let cursor: string | undefined;
      do {
        const page = await messages.page("s1", { limit: 2, order, ...(cursor !== undefined && { cursor }) });
        seen.push(...page.messages.map((message) => message.id));
        cursor = page.nextCursor;
      } while (cursor !== undefined && seen.length <= total);
      expect(seen).toEqual(order === "oldest" ? ids : [...ids].reverse());
    }
  });

  it("COR-22 keeps two sessions apart whose appends alternate", async () => {
    const { sessions, messages } = bench().store;
    for (const id of ["a", "b"]) await sessions.create({ id, source: "cli" });
    for (let index = 0; index < 6; index++) {
      await messages.append(index % 2 === 0 ? "a" : "b", { role: "user", content: String(index) });
    }
    const contents = async (id: string): Promise<unknown[]> =>
      (await messages.conversation(id, { includeRowIds: true })).messages.map((message) => message.content);
    expect([await contents("a"), await contents("b")]).toEqual([["0", "2", "4"], ["1", "3", "5"]]);
  });
}
