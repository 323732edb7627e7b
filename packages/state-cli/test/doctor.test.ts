import { chmodSync, readdirSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import {
  damage,
  describePython,
  fileHash,
  fileMode,
  openPeerDatabase,
  runPython,
  startPythonPeer,
  tempHome,
} from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { hermes, hermesJson } from "./support.js";

interface Report {
  readonly verdict: string;
  readonly exists: boolean;
  readonly lines: readonly { readonly level: string; readonly code: string; readonly action: string | null }[];
  readonly fixes: readonly { readonly outcome: string; readonly code: string; readonly text: string }[];
}

function fill(path: string): void {
  using store = openStateStore({ path });
  store.sessions.create({ id: "s", source: "cli" });
  const messages = Array.from({ length: 120 }, (_, index) => ({
    role: "user",
    content: `harbour number ${String(index)}`,
  }));
  store.messages.appendBatch("s", messages);
}

function loseSegments(path: string): void {
  runPython(
    `db = peer.connect(args["path"])
db.execute("DELETE FROM messages_fts_data WHERE id > 10")
db.commit()
db.close()
answer(None)`,
    { path },
  );
}

describe("doctor", () => {
  it("REP-11 says in plain words and as a document how a sound store is, and changes nothing", () => {
    using home = tempHome();
    fill(home.statePath);
    const before = fileHash(home.statePath);
    const said = hermes(["doctor", "--home", home.path]);
    expect([said.code, said.stderr]).toEqual([0, ""]);
    expect(said.stdout).toMatch(/1 sessions, 120 messages/);
    expect(said.stdout).toContain("The store is healthy.");
    const report = hermesJson<Report>(["doctor", "--home", home.path]);
    expect(report).toMatchObject({ verdict: "healthy", exists: true, fixes: [] });
    expect(fileHash(home.statePath)).toBe(before);
    expect(readdirSync(home.path)).toEqual(["state.db"]);
  });

  it("REP-11 creates nothing on a home without a store, and fixes nothing with --readonly", () => {
    using home = tempHome();
    const at = ["--home", home.file("not-made")];
    expect(hermes(["doctor", "--fix", ...at])).toMatchObject({ code: 0 });
    expect(hermesJson<Report>(["doctor", ...at])).toMatchObject({ exists: false });
    expect(hermes(["doctor", "--db", home.file("none.db")]).code).toBe(3);
    expect(readdirSync(home.path)).toEqual([]);
    fill(home.statePath);
    expect(hermes(["doctor", "--fix", "--readonly", "--home", home.path]).code).toBe(1);
  });

  it("REP-11 COR-13 sets modes right when it may", () => {
    using home = tempHome();
    fill(home.statePath);
    chmodSync(home.statePath, 0o644);
    const found = hermes(["doctor", "--home", home.path]);
    expect([found.code, found.stdout]).toEqual([0, expect.stringContaining("hermes-state doctor --fix")]);
    expect(hermes(["doctor", "--fix", "--home", home.path]).code).toBe(0);
    expect(fileMode(home.statePath)).toBe(0o600);
  });

  it("REP-10 says what a file is that is no store, and leaves it", () => {
    using home = tempHome();
    damage.replace(home.statePath, new Uint8Array(8192));
    const before = fileHash(home.statePath);
    const { code, stdout } = hermes(["doctor", "--fix", "--home", home.path]);
    expect([code, stdout]).toEqual([1, expect.stringContaining("hermes-state recover")]);
    expect(fileHash(home.statePath)).toBe(before);
  });
});

describePython("doctor on a damaged index", () => {
  it("P01 REP-01 names it, exits 1, heals it when it may, and exits 0", () => {
    using home = tempHome();
    fill(home.statePath);
    loseSegments(home.statePath);
    const found = hermes(["doctor", "--home", home.path]);
    expect([found.code, found.stdout]).toEqual([1, expect.stringContaining("hermes-state repair --plan")]);
    const fixed = hermesJson<Report>(["doctor", "--fix", "--home", home.path]);
    expect([fixed.verdict, fixed.fixes.map(({ outcome, code }) => `${outcome} ${code}`)]).toEqual([
      "healthy",
      ["done repair"],
    ]);
    expect(hermes(["doctor", "--home", home.path]).code).toBe(0);
  });

  it("REP-08 GND-02 refuses beside a living Python process, names it, and exits 1", async () => {
    using home = tempHome();
    fill(home.statePath);
    loseSegments(home.statePath);
    await using peer = await startPythonPeer();
    const python = await openPeerDatabase(peer, home.statePath);
    await python.sql("SELECT count(*) FROM messages");
    const { code, stdout } = hermes(["doctor", "--fix", "--home", home.path, "--json"]);
    const report = JSON.parse(stdout) as Report;
    expect([code, report.verdict, report.fixes.map(({ outcome }) => outcome)]).toEqual([1, "damaged", ["refused"]]);
    expect(report.fixes[0]?.text).toContain(String(peer.pid));
    await python.close();
  });

  it("REP-11 status tells what it can of a damaged store, and fails on what is none", () => {
    using home = tempHome();
    fill(home.statePath);
    loseSegments(home.statePath);
    expect(hermesJson(["status", "--home", home.path])).toMatchObject({
      counts: { sessions: 1, messages: 120 },
      ftsTables: { messages_fts: true },
      holdersCount: 0,
      index: { layout: 3 },
    });
    expect(readdirSync(home.path)).toEqual(["state.db"]);
    damage.replace(home.file("notes.db"), Buffer.from("# notes\n".repeat(100)));
    expect(hermes(["status", "--db", home.file("notes.db")]).code).toBe(5);
  });
});
