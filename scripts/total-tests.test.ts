import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "./support/plant-tree.js";
import { expectedRuns, totalReports } from "./total-tests.mjs";

const report = (name: string, passed: number, failed = 0, suites: unknown[] = []) => ({
  name,
  result: {
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: 0,
    numTodoTests: 0,
    numTotalTests: passed + failed,
    testResults: suites,
  },
});

describe("total-tests", () => {
  it("expects a report of every package of the workspace, wherever it lies", () => {
    const runs = expectedRuns(repositoryRoot);
    const layer = existsSync(join(repositoryRoot, "compat")) ? ["compat"] : [];
    expect(runs).toEqual(expect.arrayContaining(["state-core", ...layer, "gateway", "scripts"]));
    expect(new Set(runs).size).toBe(runs.length);
  });

  it("adds up what every run reports", () => {
    const total = totalReports([report("a", 3), report("b", 4, 1)], ["a", "b"]);
    expect(total).toMatchObject({ passed: 7, failed: 1, notes: [] });
  });

  it("counts a run that left no report as failed", () => {
    expect(totalReports([report("a", 3)], ["a", "b"])).toMatchObject({ passed: 3, failed: 1 });
  });

  it("counts a run without tests as failed", () => {
    expect(totalReports([report("a", 0)], ["a"])).toMatchObject({ passed: 0, failed: 1 });
  });

  it("counts a suite that could not be loaded as failed", () => {
    const suite = { name: "/x/broken.test.ts", status: "failed", assertionResults: [] };
    expect(totalReports([report("a", 2, 0, [suite])], ["a"])).toMatchObject({ passed: 2, failed: 1 });
  });

  it("counts a suite whose tests failed once", () => {
    const suite = { name: "/x/red.test.ts", status: "failed", assertionResults: [{ status: "failed" }] };
    expect(totalReports([report("a", 2, 1, [suite])], ["a"])).toMatchObject({ passed: 2, failed: 1 });
  });
});
