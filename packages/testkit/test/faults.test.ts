import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { choosePoints, runCrashMatrix, tempDir } from "../src/index.js";

/** Notes each step in the file it is given, as a store notes its statements. */
const SCRIPT = `
import { channel } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
const statement = channel("hermes:state:statement");
const scenario = channel("hermes:test:scenario");
statement.publish({ sql: "before the scenario" });
scenario.publish("begin");
for (const sql of ["a", "b", "a", "b", "a", "c"]) {
  statement.publish({ sql });
  appendFileSync(process.argv[2], sql);
}
scenario.publish("end");
`;

describe("faults", () => {
  it("GND-03 picks the first, second and last of every text, the end, and others evenly", () => {
    const texts = ["a", ...Array.from({ length: 20 }, () => "b"), "c"];
    expect(choosePoints(texts, 0)).toEqual([1, 2, 3, 21, 22, 23]);
    expect(choosePoints(texts, 10)).toEqual([1, 2, 3, 4, 8, 12, 16, 21, 22, 23]);
    expect(choosePoints(texts, Infinity)).toEqual(Array.from({ length: 23 }, (_, index) => index + 1));
    expect(choosePoints([], 5)).toEqual([1]);
    expect(choosePoints(["BEGIN", " SELECT 1", "PRAGMA user_version", "WITH a AS", "COMMIT"], 9)).toEqual([1, 5, 6]);
  });

  it("GND-03 kills a scenario before each statement and behind the last, and shows what each left", async () => {
    using dir = tempDir("faults");
    writeFileSync(dir.file("script.mjs"), SCRIPT);
    writeFileSync(dir.file("pristine"), ">");
    const left: string[] = [];
    const report = await runCrashMatrix({
      pristine: dir.file("pristine"),
      script: dir.file("script.mjs"),
      most: Infinity,
      verify: (path) => void left.push(readFileSync(path, "utf8")),
    });
    expect(report).toEqual({ statements: 6, distinct: 3, points: 7 });
    expect(left[0]).toBe(">ababac");
    expect(left.slice(1).sort()).toEqual([">", ">a", ">ab", ">aba", ">abab", ">ababa", ">ababac"].sort());
  });

  it("GND-03 fails when what a kill left is not as it must be, or when nobody was killed", async () => {
    using dir = tempDir("faults");
    writeFileSync(dir.file("script.mjs"), SCRIPT);
    writeFileSync(dir.file("pristine"), ">");
    const test = { pristine: dir.file("pristine"), script: dir.file("script.mjs"), most: 0 };
    const verify = (path: string): void => {
      if (readFileSync(path, "utf8") === ">aba") throw new Error("half done");
    };
    await expect(runCrashMatrix({ ...test, verify })).rejects.toThrow("half done");
    writeFileSync(dir.file("script.mjs"), "process.exit(3);");
    await expect(runCrashMatrix({ ...test, verify: () => undefined })).rejects.toThrow("the whole scenario failed");
  });
});
