import { describe, expect, it } from "vitest";
import type { Fault } from "./memory-store.js";
import { runVitest } from "./run-vitest.js";

const FAULTS: Readonly<Record<Fault, string>> = {
  order: "P13 COR-22",
  replay: "P14 COR-21",
  count: "COR-21 what an append acknowledged",
  closed: "COR-03 closes twice",
  lost: "COR-21 what an append acknowledged",
};

describe("the state store contract", () => {
  it.each(Object.entries(FAULTS))("fails on a store with the fault %s, in the test %s", async (fault, title) => {
    const end = await runVitest("contract.test.ts", { CONTRACT_FAULT: fault });
    expect(end.code).toBe(1);
    expect(end.stdout + end.stderr).toMatch(new RegExp(`FAIL.*${title}`));
  });
});
