import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import {
  damage,
  describePython,
  fileHash,
  openPeerDatabase,
  runPython,
  startPythonPeer,
  tempHome,
} from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { commandPath, hermes, hermesJson } from "./support.js";

/** A closed store with 60 messages. */
function fill(path: string): void {
  using store = openStateStore({ path });
  store.sessions.create({ id: "s", source: "cli" });
  store.messages.appendBatch(
    "s",
    Array.from({ length: 60 }, (_, index) => ({
      role: "user",
      content: `needle ${String(index)} ${"filler ".repeat(60)}`,
    })),
  );
}

/** Takes the segments of the search index away, as Python's sqlite3 module lets one. */
function spoil(path: string): void {
  runPython(
    `db = peer.connect(args["path"])
db.execute("DELETE FROM messages_fts_data WHERE id > 10")
db.close()
answer(None)`,
    { path },
  );
}

interface Plan {
  readonly outcome: string;
  readonly kept: Readonly<Record<string, number>>;
  readonly strategies: readonly { readonly strategy: string }[];
}
interface Report {
  readonly repaired: boolean;
  readonly strategy: string | null;
  readonly backupPath: string | null;
}

describe("repair", () => {
  it("REP-12 plans nothing for a sound store, and has its own words for wrong usage and a missing file", () => {
    using home = tempHome();
    fill(home.statePath);
    const plan = hermes(["repair", "--db", home.statePath]);
    expect({ code: plan.code, stderr: plan.stderr }).toEqual({ code: 0, stderr: "" });
    expect(plan.stdout).toContain("Nothing to do.");
    expect(hermes(["repair", "--plan", "--apply", "--db", home.statePath]).code).toBe(2);
    expect(hermes(["repair", "--no-backup", "--db", home.statePath]).code).toBe(2);
    expect(hermes(["repair", "--apply", "--readonly", "--db", home.statePath]).code).toBe(2);
    expect(hermes(["repair", "--db", `${home.statePath}.none`]).code).toBe(3);
  });

  it("REP-12 says that only recovery helps when rows are damaged, and names the command", () => {
    using home = tempHome();
    fill(home.statePath);
    damage.zero(home.statePath, 100, 3996);
    const plan = hermes(["repair", "--db", home.statePath]);
    expect(plan.code).toBe(1);
    expect(plan.stdout).toContain("hermes-state recover --source");
    const before = fileHash(home.statePath);
    const applied = hermes(["repair", "--apply", "--yes", "--db", home.statePath]);
    expect({ code: applied.code, hash: fileHash(home.statePath) }).toEqual({ code: 5, hash: before });
  });

  describePython("on a store whose search index is damaged", () => {
    it("REP-12 P01 plans without a change, refuses to apply unasked without a terminal, and heals with --yes", () => {
      using home = tempHome();
      fill(home.statePath);
      spoil(home.statePath);
      const before = fileHash(home.statePath);
      const { plan } = hermesJson<{ plan: Plan }>(["repair", "--db", home.statePath]);
      expect(plan).toMatchObject({ outcome: "repair", strategies: [{ strategy: "rebuild_fts" }] });
      expect(plan.kept).toMatchObject({ sessions: 1, messages: 60 });
      const text = hermes(["repair", "--plan", "--db", home.statePath]);
      expect(text.code).toBe(1);
      for (const words of ["60 messages", "messages_fts", "Lost: nothing.", "hermes-state repair --apply"]) {
        expect(text.stdout).toContain(words);
      }
      const unasked = hermes(["repair", "--apply", "--db", home.statePath, "--json"], { input: "y\n" });
      expect({ code: unasked.code, stdout: unasked.stdout }).toEqual({ code: 1, stdout: "" });
      expect((JSON.parse(unasked.stderr) as { error: { code: string } }).error.code).toBe("STATE_E_NOT_CONFIRMED");
      expect(fileHash(home.statePath)).toBe(before);

      const { report } = hermesJson<{ report: Report }>(["repair", "--apply", "--yes", "--db", home.statePath]);
      expect(report).toMatchObject({ repaired: true, strategy: "rebuild_fts" });
      expect(fileHash(report.backupPath ?? "")).toBe(before);
      expect(hermes(["check", "--level", "full", "--db", home.statePath]).code).toBe(0);
      const found = hermesJson<{ hits: unknown[] }>(["search", "needle", "--limit", "100", "--db", home.statePath]);
      expect(found.hits).toHaveLength(60);
      expect(hermes(["repair", "--apply", "--yes", "--db", home.statePath]).stdout).toContain("nothing to repair");
    });

    it("REP-12 keeps no copy with --no-backup", () => {
      using home = tempHome();
      fill(home.statePath);
      spoil(home.statePath);
      const words = ["repair", "--apply", "--yes", "--no-backup", "--db", home.statePath];
      const { report } = hermesJson<{ report: Report }>(words);
      expect(report).toMatchObject({ repaired: true, backupPath: null });
      expect(readdirSync(home.path).filter((name) => name.includes("backup"))).toEqual([]);
    });

    it("REP-08 refuses with exit code 4 while Python has the store open, and names the process", async () => {
      using home = tempHome();
      fill(home.statePath);
      spoil(home.statePath);
      await using peer = await startPythonPeer();
      const database = await openPeerDatabase(peer, home.statePath);
      await database.sql("SELECT COUNT(*) AS n FROM messages");
      const plan = hermesJson<{ plan: Plan & { blockedBy: string[] } }>(["repair", "--db", home.statePath]).plan;
      expect(plan.outcome).toBe("blocked");
      expect(plan.blockedBy[0]).toContain(String(peer.pid));
      const applied = hermes(["repair", "--apply", "--yes", "--db", home.statePath]);
      expect(applied.code).toBe(4);
      expect(applied.stdout).toContain(String(peer.pid));
      await database.close();
    });

    it.each([
      { answer: "n", code: 1 },
      { answer: "y", code: 0 },
    ])("REP-12 shows the plan on a terminal and asks; the answer $answer ends with $code", ({ answer, code }) => {
      using home = tempHome();
      fill(home.statePath);
      spoil(home.statePath);
      const before = fileHash(home.statePath);
      const run = onTerminal([commandPath(), "repair", "--apply", "--db", home.statePath], `${answer}\n`);
      expect({ code: run.code, output: run.output }).toMatchObject({ code });
      expect(run.output).toContain("Kept, every cell proven unchanged: 1 sessions, 60 messages");
      expect(run.output).toContain("Repair it now? [y/N]");
      expect(fileHash(home.statePath) === before).toBe(answer === "n");
    });
  });
});

/** Runs node on a terminal of its own, as Python's pty module makes one. */
function onTerminal(args: readonly string[], input: string): { code: number | null; output: string } {
  const script = `
import os, pty, sys
answer = sys.argv[1].encode()
def read(fd):
    data = os.read(fd, 65536)
    if b"[y/N]" in data: os.write(fd, answer)
    return data
status = pty.spawn(sys.argv[2:], read, lambda fd: b"")
sys.exit(os.waitstatus_to_exitcode(status))
`;
  const run = spawnSync("python3", ["-c", script, input, process.execPath, ...args], {
    encoding: "utf8",
    timeout: 60_000,
    input: "",
  });
  return { code: run.status, output: run.stdout + run.stderr };
}
