import { readdirSync, writeFileSync } from "node:fs";
import { tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { hermes, hermesJson } from "./support.js";

describe("a home without a store", () => {
  it.each<[readonly string[], unknown]>([
    [["path"], { exists: false }],
    [["status"], { exists: false, counts: { sessions: 0, messages: 0 } }],
    [["sessions", "list"], { sessions: [], nextCursor: null }],
    [["search", "deploy"], { hits: [], complete: true, incompleteBecause: [] }],
    [["check"], { exists: false, verdict: "healthy", findings: [] }],
  ])("answers %j with an empty result, creates nothing and exits 0", (words, document) => {
    using home = tempHome();
    const at = ["--home", home.file("not-made")];
    expect(hermesJson([...words, ...at])).toMatchObject(document as object);
    expect(hermes([...words, ...at]).code).toBe(0);
    expect(hermes([...words, ...at, "--jsonl"]).code).toBe(0);
    expect(readdirSync(home.path)).toEqual([]);
  });

  it("exports nothing as a whole file of nothing", () => {
    using home = tempHome();
    const run = hermes(["export", "--home", home.file("not-made")]);
    expect(run.code).toBe(0);
    const [header, footer] = run.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; counts?: object });
    expect([header?.type, footer]).toMatchObject(["header", { type: "footer", counts: { session: 0 } }]);
    expect(hermes(["export", "--format", "md", "--home", home.file("not-made")]).stdout).toBe("");
    expect(readdirSync(home.path)).toEqual([]);
  });

  it("answers an import's dry run and creates nothing", () => {
    using home = tempHome();
    writeFileSync(home.file("in.jsonl"), '{"id":"a","messages":[{"role":"user","content":"hi"}]}\n');
    const at = ["--home", home.file("not-made")];
    expect(hermesJson(["import", home.file("in.jsonl"), "--dry-run", ...at])).toMatchObject({
      dryRun: true,
      imported: 1,
    });
    expect(readdirSync(home.path)).toEqual(["in.jsonl"]);
  });

  it("treats an empty file in the home as no store", () => {
    using home = tempHome();
    writeFileSync(home.statePath, "");
    expect(hermesJson(["sessions", "list", "--home", home.path])).toEqual({ sessions: [], nextCursor: null });
    expect(readdirSync(home.path)).toEqual(["state.db"]);
  });

  it("P30 COR-12 finds its home by HERMES_HOME when it runs", () => {
    using home = tempHome();
    const env = { HERMES_HOME: home.path };
    expect(hermes(["path"], { env }).stdout).toBe(`${home.statePath}\n`);
    expect(hermes(["path"], { env: { HERMES_HOME: undefined, HOME: home.path } }).stdout).toBe(
      `${home.file(".hermes")}/state.db\n`,
    );
    expect(hermes(["path", "--db", "x.db"], { cwd: home.path }).stdout).toBe(`${home.file("x.db")}\n`);
  });
});
