import { chmodSync, statSync, truncateSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import {
  buildOldStore,
  copyPeerFile,
  damage,
  describePeer,
  describePython,
  fileHash,
  peerFolder,
  runPython,
  tempHome,
} from "@hermes/testkit";
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hermes } from "./support.js";

interface Report {
  readonly verdict: string;
  readonly level: string;
  readonly findings: readonly { readonly severity: string; readonly code: string; readonly object: string }[];
  readonly notChecked: readonly string[];
}

const WORDS = ["pineapple", "harbour", "lantern", "meadow", "compass", "granite", "saffron", "willow"];

/** A closed store with 200 messages, and one of structured content. */
function fill(path: string): void {
  using store = openStateStore({ path });
  store.sessions.create({ id: "s", source: "cli" });
  const messages = Array.from({ length: 200 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${WORDS[index % WORDS.length] ?? ""} number ${index} ${"filler ".repeat(30)}`,
  }));
  store.messages.appendBatch("s", [...messages, { role: "user", content: [{ type: "text", text: "structured" }] }]);
}

/** Runs statements as Python's sqlite3 module, which lets shadow tables be written. */
function spoil(path: string, statements: readonly string[]): void {
  runPython(
    `db = peer.connect(args["path"])
for statement in args["statements"]:
    db.execute(statement)
db.close()
answer(None)`,
    { path, statements },
  );
}

function check(path: string, level = "quick"): { code: number | null; report: Report } {
  const { code, stdout } = hermes(["check", "--db", path, "--level", level, "--json"]);
  return { code, report: JSON.parse(stdout) as Report };
}

const codes = (report: Report, severity: string): string[] =>
  report.findings.filter((finding) => finding.severity === severity).map(({ code, object }) => `${code} ${object}`);

describe("check", () => {
  it("REP-01 calls a sound store healthy, exits 0, says its level and what it did not look at, and changes no byte", () => {
    using home = tempHome();
    fill(home.statePath);
    const before = fileHash(home.statePath);
    const { code, report } = check(home.statePath);
    expect([code, report.verdict, report.level, report.findings]).toEqual([0, "healthy", "quick", []]);
    expect(report.notChecked.length).toBeGreaterThan(0);
    expect(hermes(["check", "--db", home.statePath]).stdout).toContain("Not looked at:");
    expect(check(home.statePath, "full").report).toMatchObject({ level: "full", verdict: "healthy", notChecked: [] });
    expect(hermes(["check", "--db", home.statePath, "--level", "full"]).stdout).not.toContain("Not looked at:");
    expect(fileHash(home.statePath)).toBe(before);
    expect(readdirSync(home.path)).toEqual(["state.db"]);
  });

  describePython("on stores that something damaged", () => {
    it.each<[string, readonly string[], RegExp]>([
      ["P01 F2 index segments lost", ["DELETE FROM messages_fts_data WHERE id > 10"], /^index.* messages_fts$/],
      [
        "P01 F2 index segments emptied",
        ["UPDATE messages_fts_data SET block = zeroblob(length(block)) WHERE id > 10"],
        /^index.* messages_fts$/,
      ],
      [
        "P01 trigram segments lost",
        ["DELETE FROM messages_fts_trigram_data WHERE id > 10"],
        /^index.* messages_fts_trigram$/,
      ],
      [
        "P08 messages that the index does not know",
        ["DELETE FROM messages_fts_docsize WHERE id = 7"],
        /^index-coverage messages_fts$/,
      ],
      ["a shadow table that is gone", ["DROP TABLE messages_fts_idx"], /^index.* messages_fts$/],
      [
        "entries without a message",
        ["INSERT INTO messages_fts_docsize (id, sz) VALUES (9999, x'0101')"],
        /^index-coverage messages_fts$/,
      ],
    ])("REP-01 finds %s, and exits 1", (_what, statements, wanted) => {
      using home = tempHome();
      fill(home.statePath);
      spoil(home.statePath, statements);
      const { code, report } = check(home.statePath);
      expect([code, report.verdict]).toEqual([1, "damaged"]);
      expect(codes(report, "damage").join("\n")).toMatch(new RegExp(wanted.source, "m"));
    });

    it("REP-01 finds a lost page of messages (P02, F3)", () => {
      using home = tempHome();
      fill(home.statePath);
      const [page] = runPython<number[]>(
        `db = peer.connect(args["path"])
pages = [row[0] for row in db.execute("SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' ORDER BY pageno")]
db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
db.close()
answer(pages)`,
        { path: home.statePath },
      );
      damage.zero(home.statePath, ((page ?? 2) - 1) * 4096, 4096);
      const { code, report } = check(home.statePath);
      expect([code, report.verdict]).toEqual([1, "damaged"]);
      expect(codes(report, "damage")).toContain("pages messages");
    });

    it("REP-01 never takes age, a pending or a detached index, or another library's trigrams for damage", () => {
      using home = tempHome();
      for (const [name, version, options] of [
        ["v11.db", 11, {}],
        ["v23-pending.db", 23, { pending: { progress: 3, highWater: 8 } }],
      ] as const) {
        buildOldStore(home.file(name), version, options);
        const { code, report } = check(home.file(name));
        expect([name, code, codes(report, "damage")]).toEqual([name, 0, []]);
        expect(codes(report, "note").join()).toContain("old-schema");
      }
      fill(home.statePath);
      spoil(home.statePath, [
        "INSERT INTO state_meta (key, value) VALUES ('fts_stale', '1')",
        "DROP TRIGGER messages_fts_insert",
        "DELETE FROM messages_fts_data WHERE id > 10",
      ]);
      const { code, report } = check(home.statePath);
      expect([code, codes(report, "note")]).toEqual([0, ["index-stale messages_fts"]]);
    });
  });

  describePeer("on stores of real peers", () => {
    it.each(readdirSync(peerFolder() ?? ".").filter((name) => name.endsWith(".db")))(
      "REP-01 calls %s healthy, whatever library wrote its indexes",
      (name) => {
        using home = tempHome();
        const { code, report } = check(copyPeerFile(name, home));
        expect([code, codes(report, "damage")]).toEqual([0, []]);
      },
    );
  });

  it.runIf(process.getuid?.() === 0)("REP-01 cannot tell about a file of another user, and exits 2", () => {
    using home = tempHome();
    fill(home.statePath);
    chmodSync(home.path, 0o755);
    const { code, stdout } = hermes(["check", "--db", home.statePath, "--json"], { uid: 65_534 });
    const report = JSON.parse(stdout) as Report;
    expect([code, report.verdict, report.findings.map((found) => found.code)]).toEqual([
      2,
      "unknown",
      ["not-accessible"],
    ]);
  });

  it("REP-01 calls files damaged that are no database any more, and cannot tell what it may not open", () => {
    using home = tempHome();
    fill(home.statePath);
    truncateSync(home.statePath, Math.floor(statSync(home.statePath).size / 2));
    expect(check(home.statePath)).toMatchObject({ code: 1, report: { verdict: "damaged" } });
    damage.replace(home.file("zero.db"), new Uint8Array(8192));
    expect(check(home.file("zero.db"))).toMatchObject({ code: 1, report: { verdict: "damaged" } });
    expect(check(home.path)).toMatchObject({ code: 2, report: { verdict: "unknown" } });
    damage.replace(home.file("empty.db"), new Uint8Array(0));
    expect(check(home.file("empty.db"))).toMatchObject({ code: 0, report: { verdict: "healthy", exists: true } });
    const missing = hermes(["check", "--db", home.file("none.db"), "--json"]);
    expect([missing.code, missing.stdout]).toEqual([3, ""]);
  });
});
