import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openStateStore } from "@hermes/state-core";
import { eraseSessions } from "@hermes/state-portability";
import { fileHash, tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { fillHome, hermes, hermesJson } from "./support.js";

interface Made {
  readonly path: string;
  readonly record: { readonly sha256: string; readonly createdAt: string; readonly createdAtSeconds: number };
}

describe("backup", () => {
  it("POR-07 makes, lists, verifies and restores a backup, and asks before it replaces a store", () => {
    using home = tempHome();
    fillHome(home.path);
    const made = hermesJson<Made>(["backup", "create", "--home", home.path]);
    expect(made.path.startsWith(join(home.path, "backups", "state-"))).toBe(true);
    expect(made.record.createdAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    const listed = hermesJson<{ backups: Made[] }>(["backup", "list", "--home", home.path]);
    expect(listed.backups.map(({ path }) => path)).toEqual([made.path]);
    expect(hermes(["backup", "verify", made.path]).code).toBe(0);
    hermes(["sessions", "create", "--home", home.path, "--id", "later", "--source", "cli"]);
    const before = fileHash(home.statePath);
    const unasked = hermes(["backup", "restore", made.path, "--home", home.path]);
    expect({ code: unasked.code, stdout: unasked.stdout }).toEqual({ code: 1, stdout: "" });
    expect(hermesJson(["backup", "restore", made.path, "--home", home.path, "--dry-run"])).toMatchObject({ ok: true });
    expect(fileHash(home.statePath)).toBe(before);
    const report = hermesJson(["backup", "restore", made.path, "--home", home.path, "--yes"]);
    expect(report).toMatchObject({ path: home.statePath, replaced: true, sha256: made.record.sha256 });
    expect(hermes(["sessions", "show", "later", "--home", home.path]).code).toBe(3);
    expect(hermes(["sessions", "show", "s1", "--home", home.path]).code).toBe(0);
  });

  it("POR-07 keeps as many backups as asked, and says nothing to do on a home without a store", () => {
    using home = tempHome();
    expect(hermesJson(["backup", "create", "--home", home.path])).toMatchObject({ exists: false });
    expect(readdirSync(home.path)).toEqual([]);
    fillHome(home.path);
    const dir = home.file("b");
    for (let turn = 0; turn < 3; turn++) {
      expect(hermes(["backup", "create", dir, "--keep", "2", "--home", home.path]).code).toBe(0);
    }
    const lines = hermes(["backup", "list", dir, "--jsonl", "--home", home.path]).stdout.trim().split("\n");
    expect(lines).toHaveLength(2);
    expect(hermes(["backup", "create", dir, "--keep", "0", "--home", home.path]).code).toBe(2);
    expect(hermes(["backup", "verify", home.file("none.db")]).code).toBe(1);
    expect(hermes(["backup", "create", "--db", home.file("none.db")]).code).toBe(3);
  });

  it("P22 POR-07 refuses to restore while a process has the store open", () => {
    using home = tempHome();
    fillHome(home.path);
    const { path } = hermesJson<Made>(["backup", "create", "--home", home.path]);
    using store = openStateStore({ path: home.statePath });
    const run = hermes(["backup", "restore", path, "--home", home.path, "--yes", "--json"]);
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stderr)).toMatchObject({ error: { code: "STATE_E_STORE_HELD" } });
    expect(store.sessions.get("s1").id).toBe("s1");
  });
});

describe("erase", () => {
  it("POR-06 shows what would go, takes exactly that, and proves it", () => {
    using home = tempHome();
    fillHome(home.path);
    hermes(["sessions", "create", "--home", home.path, "--id", "s2", "--source", "cli", "--title", "Quetzalcoatlus"]);
    hermes(["sessions", "append", "s2", "--home", home.path, "--content", "the zebracanaryword is secret"]);
    const plan = hermesJson<{ sessions: { id: string }[] }>(["erase", "s2", "--dry-run", "--home", home.path]);
    expect(plan.sessions.map(({ id }) => id)).toEqual(["s2"]);
    expect(hermes(["erase", "s2", "--home", home.path]).code).toBe(1);
    expect(hermes(["sessions", "show", "s2", "--home", home.path]).code).toBe(0);
    expect(hermes(["erase", "nobody", "--yes", "--home", home.path]).code).toBe(3);
    const proof = hermesJson(["erase", "Quetzalcoatlus", "--yes", "--home", home.path]);
    expect(proof).toMatchObject({ sessions: ["s2"], messages: 1, clean: true });
    const bytes = readFileSync(home.statePath, "latin1").toLowerCase();
    expect(bytes).not.toContain("zebracanary");
    expect(bytes).not.toContain("quetzalcoatlus");
    expect(existsSync(`${home.statePath}-wal`)).toBe(false);
    expect(hermes(["check", "--home", home.path]).code).toBe(0);
  });

  it("POR-06 exits 1 while a process has the store open, and nothing is erased", () => {
    using home = tempHome();
    fillHome(home.path);
    using store = openStateStore({ path: home.statePath });
    const run = hermes(["erase", "s1", "--yes", "--home", home.path, "--json"]);
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 1, stdout: "" });
    expect(store.messages.count("s1")).toBe(2);
  });

  it("POR-06 finishes an erasure whose proof stayed open, by the same command", async () => {
    using home = tempHome();
    fillHome(home.path);
    {
      using other = openStateStore({ path: home.statePath });
      const proof = await eraseSessions(openStateStore({ path: home.statePath }), ["s1"], { whileHeld: true });
      expect({ clean: proof.clean, left: other.sessions.find("s1") }).toEqual({ clean: false, left: undefined });
      other.sessions.create({ id: "s1-another", source: "cli" });
    }
    expect(hermesJson(["erase", "s1", "--home", home.path, "--dry-run"])).toMatchObject({ resumes: true });
    const words = (...more: string[]): string[] => ["erase", "First 旅行", "--home", home.path, ...more];
    expect(hermesJson(words("--dry-run"))).toMatchObject({ sessions: [], resumes: true });
    expect(hermes(words()).code).toBe(1);
    expect(hermes(["erase", "other", "--yes", "--home", home.path]).code).toBe(3);
    expect(hermesJson(words("--yes"))).toMatchObject({ resumed: true, messages: 2, clean: true });
    expect(readdirSync(home.path)).toEqual(["state.db"]);
    expect(hermes(words("--yes")).code).toBe(3);
    expect(hermes(["sessions", "show", "s1-another", "--home", home.path]).code).toBe(0);
  });
});
