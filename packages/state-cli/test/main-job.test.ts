import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childEnvironment, copyPeerFile, describePeer, fileHash, peerFile, repoRoot, tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { commandPath } from "./support.js";

/** Runs a script of the repository with its temporary files in a folder of our own. */
function run(
  script: string,
  words: readonly string[],
  env: Record<string, string> = {},
): { code: number | null; printed: string; left: string[] } {
  commandPath();
  const folder = mkdtempSync(join(tmpdir(), "main-job-"));
  try {
    const ended = spawnSync(process.execPath, [join(repoRoot(), script), ...words], {
      encoding: "utf8",
      timeout: 120_000,
      env: childEnvironment({ TMPDIR: folder, HOME: folder, ...env }),
    });
    return { code: ended.status, printed: ended.stdout + ended.stderr, left: readdirSync(folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("the main job", () => {
  it("does every step on the bundled samples and leaves nothing behind", { timeout: 120_000 }, () => {
    const { code, printed, left } = run("scripts/start.mjs", []);
    expect(printed).toContain("Every step did what it should");
    expect([code, left]).toEqual([0, []]);
  });

  it("fails with exit code 1 and says where, when a step does not do what it should", () => {
    using home = tempHome();
    const { code, printed } = run("scripts/start.mjs", ["--db", home.file("none.db")]);
    expect([code, printed.includes("start failed: there is no file")]).toEqual([1, true]);
    const text = run("scripts/start.mjs", ["--db", join(repoRoot(), "package.json")]);
    expect([text.code, text.printed.includes("start failed: hermes-state")]).toEqual([1, true]);
  });

  describePeer("on a store that a real peer wrote", () => {
    it("P20 reads it by a path relative to the user's folder, and changes no byte", { timeout: 120_000 }, () => {
      using home = tempHome();
      const db = copyPeerFile("peer-small.db", home);
      const before = fileHash(db);
      const { code, printed, left } = run("scripts/start.mjs", ["--", "--db", "peer-small.db"], {
        INIT_CWD: home.path,
      });
      expect([code, left], printed).toEqual([0, []]);
      expect(fileHash(db)).toBe(before);
    });

    it("leaves no file beside a store whose folder is not for writing", { timeout: 120_000 }, () => {
      const db = peerFile("peer-small.db");
      const folder = join(db, "..");
      const before = readdirSync(folder);
      const { code, printed } = run("scripts/start.mjs", ["--db", db]);
      expect(code, printed).toBe(0);
      expect(readdirSync(folder)).toEqual(before);
    });
  });
});

describe("the samples", () => {
  it("POR-01 are what their script makes of the conversations", { timeout: 120_000 }, () => {
    using home = tempHome();
    const { code, printed } = run("fixtures/samples/generate.mjs", ["--out", home.path]);
    expect(code, printed).toBe(0);
    for (const name of ["peer-sessions.jsonl", "state-sessions.jsonl"]) {
      const committed = readFileSync(join(repoRoot(), "fixtures", "samples", name), "utf8");
      expect(readFileSync(home.file(name), "utf8"), name).toBe(committed);
    }
  });
});
