import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { damage, fileHash, tempHome } from "@hermes/testkit";
import type { TempHome } from "@hermes/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fillHome, hermes, hermesJson } from "./support.js";

let home: TempHome;
let output: string;
beforeEach(() => {
  home = tempHome();
  output = home.file("new.db");
  fillHome(home.path);
});
afterEach(() => {
  home[Symbol.dispose]();
});

interface Report {
  readonly status: string;
  readonly recoverable: boolean;
  readonly counts: Readonly<Record<string, number>>;
}

it("REP-09 recovers a store by command: exit 0, and the source keeps every byte", () => {
  const before = fileHash(home.statePath);
  const run = hermes(["recover", "--source", home.statePath, "--output", output]);
  expect(run).toMatchObject({ code: 0, stderr: "" });
  expect(run.stdout).toContain("complete");
  expect(fileHash(home.statePath)).toBe(before);
  const { sessions } = hermesJson<{ sessions: unknown[] }>(["sessions", "list", "--db", output]);
  expect(sessions).toHaveLength(1);
});

it("REP-09 inspects: exit 0 when all can be recovered, 1 when not, and nothing is written", () => {
  const words = ["recover", "--source", home.statePath, "--inspect-only"];
  expect(hermes(words).code).toBe(0);
  damage.zero(home.statePath, 100, 4096 - 100);
  expect(hermes(words).code).toBe(1);
  expect(hermesJson<Report>(words)).toMatchObject({ recoverable: false, status: "partial" });
  expect(readdirSync(home.path)).toEqual(["state.db"]);
});

it("REP-09 keeps what is readable only when told to: exit 1 without, 0 with --allow-partial", () => {
  damage.zero(home.statePath, 100, 4096 - 100);
  const words = ["recover", "--source", home.statePath, "--output", output];
  expect(hermes(words).code).toBe(1);
  expect(existsSync(output)).toBe(false);
  const report = hermesJson<Report>([...words, "--allow-partial"]);
  expect(report).toMatchObject({ status: "partial", counts: { sessions: 1, messages: 2 } });
  expect(existsSync(`${output}.recovery.json`)).toBe(true);
});

it("REP-09 ends with 2 for a line that cannot be meant, and for a report that is there already", () => {
  writeFileSync(home.file("taken.json"), "{}");
  const source = ["recover", "--source", home.statePath];
  expect(hermes(source).code).toBe(2);
  expect(hermes(["recover", "--output", output]).code).toBe(2);
  expect(hermes([...source, "--output", output, "--inspect-only"]).code).toBe(2);
  expect(hermes([...source, "--inspect-only", "--allow-partial"]).code).toBe(2);
  expect(hermes([...source, "--output", output, "--report", home.file("taken.json")]).code).toBe(2);
  expect(hermes([...source, "--output", home.statePath]).code).toBe(1);
  expect(existsSync(output)).toBe(false);
});
