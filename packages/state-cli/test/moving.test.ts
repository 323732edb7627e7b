import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import { describePython, fileMode, hashRows, tempHome, withUmask } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { fillHome, hermes, hermesJson } from "./support.js";

/** A store with archived, rewound and summary rows, reasoning, a chain, and text that is hard on encoders. */
function fillRich(path: string): void {
  using store = openStateStore({ path });
  store.sessions.create({
    id: "rich",
    source: "cli",
    title: "Reise 桂林",
    model: "m",
    systemPrompt: "Be careful. 谨慎",
  });
  store.messages.appendBatch("rich", [
    {
      role: "user",
      content: [
        { type: "text", text: "look 看" },
        { type: "image_url", image_url: { url: "data:," } },
      ],
    },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "c", function: { name: "ls", arguments: "{}" } }],
      reasoning: "hm",
    },
    { role: "tool", content: "ok", toolCallId: "c", toolName: "ls" },
    { role: "assistant", content: "emoji 👩‍👩‍👧 nul\u0000mid lone \ud800" },
    { role: "user", content: "y".repeat(5_000_000) },
  ]);
  store.sessions.create({
    id: "child",
    source: "cli",
    parentSessionId: "rich",
    modelConfig: { _branched_from: "rich" },
  });
  store.messages.appendBatch("child", [
    { role: "user", content: "archived", active: false, compacted: true },
    { role: "user", content: "rewound", active: false },
    { role: "assistant", content: "summary", compressedSummary: true },
  ]);
  store.sessions.create({ id: "empty", source: "telegram" });
}

describe("export and import", () => {
  it("P20 POR-01 round-trips through files byte by byte", () => {
    using home = tempHome();
    fillRich(home.file("a.db"));
    const [one, two] = [home.file("1.jsonl"), home.file("2.jsonl")];
    expect(hermes(["export", one, "--db", home.file("a.db")]).code).toBe(0);
    expect(hermesJson(["import", one, "--db", home.file("b.db")])).toMatchObject({
      imported: 3,
      messages: 8,
      failed: 0,
      detached: 0,
    });
    expect(hermes(["export", two, "--db", home.file("b.db")]).code).toBe(0);
    expect(readFileSync(two).equals(readFileSync(one))).toBe(true);
    const { hits } = hermesJson<{ hits: { sessionId: string }[] }>(["search", "archived", "--db", home.file("b.db")]);
    expect(hits.map(({ sessionId }) => sessionId)).toEqual(["child"]);
  });

  it("POR-01 pipes from one store into another", () => {
    using home = tempHome();
    fillRich(home.file("a.db"));
    const { stdout, stderr } = hermes(["export", "-", "--db", home.file("a.db")]);
    expect(stderr).toContain("Exported 3 sessions with 8 messages to standard output.");
    const run = hermes(["import", "-", "--db", home.file("b.db")], { input: stdout });
    expect([run.code, run.stdout]).toEqual([0, "Imported 3 sessions with 8 messages; 0 skipped, 0 failed.\n"]);
    expect(hermes(["export", "--quiet", "--db", home.file("b.db")])).toEqual({ code: 0, stdout, stderr: "" });
  });

  it("P27 COR-13 makes stores and exports 0600 under umask 022", () => {
    using home = tempHome();
    withUmask(0o022, () => {
      fillHome(home.path);
      for (const format of ["jsonl", "peer-jsonl", "md"]) {
        hermes(["export", home.file(`out.${format}`), "--format", format, "--home", home.path]);
      }
    });
    const modes = readdirSync(home.path).map((name) => [name, fileMode(home.file(name)).toString(8)]);
    expect(modes.filter(([, mode]) => mode !== "600")).toEqual([]);
    expect(modes.map(([name]) => name)).toEqual(
      expect.arrayContaining(["state.db", "out.jsonl", "out.peer-jsonl", "out.md"]) as string[],
    );
  });

  it("POR-02 names the line of a cut file, imports nothing, and the rest with --keep-going", () => {
    using home = tempHome();
    const good = '{"id":"a","messages":[{"role":"user","content":"hi"}]}\n';
    writeFileSync(home.file("in.jsonl"), `${good}{"id":"b","messages":[{"ro`);
    const words = ["import", home.file("in.jsonl"), "--home", home.path];
    const strict = hermes(words);
    expect([strict.code, strict.stdout]).toEqual([1, ""]);
    expect(strict.stderr).toContain("in.jsonl:2:");
    expect(hermesJson(["sessions", "list", "--home", home.path])).toMatchObject({ sessions: [] });
    const json = hermes([...words, "--json"]);
    expect(JSON.parse(json.stderr)).toMatchObject({
      error: { code: "STATE_E_IMPORT_INVALID", line: 2, problemCount: 1 },
    });
    const loose = hermes([...words, "--keep-going"]);
    expect([loose.code, loose.stdout]).toEqual([1, "Imported 1 sessions with 1 messages; 0 skipped, 1 failed.\n"]);
  });

  it("POR-02 prints the set that the real run takes with --dry-run, and tells of numbered titles", () => {
    using home = tempHome();
    fillHome(home.path);
    writeFileSync(home.file("in.jsonl"), '{"id":"a","title":"First 旅行","messages":[]}\n{"id":"s1","messages":[]}\n');
    const words = ["import", home.file("in.jsonl"), "--home", home.path];
    const dry = hermesJson(["--json", ...words, "--dry-run"]);
    expect(hermesJson(["sessions", "list", "--home", home.path])).toMatchObject({ sessions: [{ id: "s1" }] });
    const real = hermesJson<{ renamed: object[] }>(words);
    expect(JSON.parse(JSON.stringify(dry).replaceAll('"dryRun":true', '"dryRun":false'))).toEqual(real);
    expect(real.renamed).toEqual([{ sessionId: "a", from: "First 旅行", to: "First 旅行 #2" }]);
  });

  it.each([
    ["is not there", undefined, 3],
    ["is of no known format", '{"broken', 1],
    ["is cut", '{"id":"a","messages":[{"role":"user","content":"hi"}]}\n{"id":"b","mess', 1],
  ])("POR-02 makes no store for a file that %s", (_what, text, code) => {
    using home = tempHome();
    if (text !== undefined) writeFileSync(home.file("in.jsonl"), text);
    const refused = hermes(["import", home.file("in.jsonl"), "--db", home.file("new.db")]);
    expect(refused.code, refused.stderr).toBe(code);
    expect(refused.stderr).toContain("in.jsonl");
    expect(readdirSync(home.path).filter((name) => name.startsWith("new.db"))).toEqual([]);
  });

  it("POR-05 imports the transcripts of a folder in the order of their names", () => {
    using home = tempHome();
    mkdirSync(home.file("in"));
    writeFileSync(home.file("in/b.jsonl"), '{"id":"b","parent_session_id":"a","messages":[]}\n');
    writeFileSync(home.file("in/a.jsonl"), '{"id":"a","messages":[]}\n');
    writeFileSync(home.file("in/notes.txt"), "no session\n");
    expect(hermesJson(["import", home.file("in"), "--home", home.path])).toMatchObject({ imported: 2, detached: 0 });
  });

  it("GND-03 overwrites a file only with --yes, and never the store", () => {
    using home = tempHome();
    fillHome(home.path);
    const out = home.file("out.md");
    writeFileSync(out, "mine");
    const words = ["export", out, "--format", "md", "--home", home.path];
    expect([hermes(words).code, readFileSync(out, "utf8")]).toEqual([1, "mine"]);
    expect([hermes([...words, "--yes"]).code, readFileSync(out, "utf8").startsWith("---\n")]).toEqual([0, true]);
    expect(hermes(["export", home.statePath, "--yes", "--home", home.path]).code).toBe(1);
    expect(hermes(["sessions", "show", "s1", "--home", home.path]).code).toBe(0);
  });

  it("POR-04 writes one Markdown file per session into a folder, named without leaving it", () => {
    using home = tempHome();
    fillHome(home.path);
    hermes(["sessions", "create", "--home", home.path, "--id", "../../evil", "--source", "cli"]);
    mkdirSync(home.file("out"));
    expect(hermes(["export", home.file("out"), "--format", "md", "--home", home.path]).code).toBe(0);
    expect(readdirSync(home.file("out"))).toEqual(["__.._evil.md", "s1-first-旅行.md"]);
    expect(existsSync(home.file("evil.md"))).toBe(false);
  });

  it("exports one session, its whole chain, and by filter", () => {
    using home = tempHome();
    {
      using store = openStateStore({ path: home.statePath });
      store.sessions.create({ id: "root", source: "cli" });
      store.sessions.end("root", "compression");
      store.sessions.create({ id: "tip", source: "cli", parentSessionId: "root" });
      store.sessions.create({ id: "other", source: "telegram" });
    }
    const ids = (words: readonly string[]): string[] =>
      hermes(["export", "--format", "peer-jsonl", "--peer-subset", "--quiet", "--home", home.path, ...words])
        .stdout.split("\n")
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { id: string }).id)
        .sort();
    expect(ids(["--session", "tip"])).toEqual(["tip"]);
    expect(ids(["--session", "tip", "--lineage", "logical"])).toEqual(["root", "tip"]);
    expect(ids(["--source", "telegram"])).toEqual(["other"]);
    expect(ids(["--source", "cli"])).toEqual(["root", "tip"]);
    expect(ids([])).toEqual(["other", "root", "tip"]);
  });

  describePython("read by Python", () => {
    it("P20 GND-02 shows Python the same rows in the imported store", () => {
      using home = tempHome();
      const [from, to] = [home.file("a.db"), home.file("b.db")];
      fillRich(from);
      hermes(["export", home.file("x.jsonl"), "--db", from]);
      hermes(["import", home.file("x.jsonl"), "--db", to]);
      const exclude = ["state_meta", "messages.display_identity", "messages.display_order"];
      const before = hashRows(from, { exclude });
      expect(hashRows(to, { exclude, shape: before.shape })).toMatchObject({
        counts: before.counts,
        hashes: before.hashes,
      });
    });
  });
});
