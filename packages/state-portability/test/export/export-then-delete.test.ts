import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { exportStore, exportThenDelete, fileSink, importInto } from "@hermes/state-portability";
import type { ExportFormat } from "@hermes/state-portability";
import { childEnvironment, fileHash, fileMode, repoRoot, tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { expectSound } from "../backup/support.js";
import { fillRichStore } from "../rich-store.js";
import { exported, open } from "../support.js";
import { between } from "./between.js";
import { FAMILY, fillFamily, stock } from "./family.js";

function without(...ids: string[]): Record<string, number> {
  return Object.fromEntries(Object.entries(FAMILY).filter(([id]) => !ids.includes(id)));
}

describe("exportThenDelete", () => {
  it.each([
    ["single", "tip", ["tip", "helper", "helper2"]],
    ["logical", "tip", ["tip", "middle", "root", "helper", "helper2", "lost"]],
    ["tree", "helper", ["root", "middle", "branch", "branch2", "tip", "helper", "helper2", "reset", "lost"]],
  ] as const)(
    "POR-08 with lineage %s of %s deletes what the file holds, and an import brings it back",
    async (...row) => {
      const [lineage, id, ids] = row;
      using home = tempHome();
      using store = open(home.statePath);
      fillFamily(store);
      const before = await exported(store, { format: "jsonl", sessionIds: ids });
      const out = home.file("out.jsonl");
      const report = await exportThenDelete(store, out, { sessionIds: [id], lineage });
      expect(report).toMatchObject({ file: out, sessions: ids.length, messages: ids.length * 2, written: true });
      expect([...report.sessionIds].sort()).toEqual([...ids].sort());
      expect({ sha256: report.sha256, mode: fileMode(out) }).toEqual({ sha256: fileHash(out), mode: 0o600 });
      expect(stock(store)).toEqual(without(...ids));
      expect(await importInto(store, out)).toMatchObject({ imported: ids.length, failed: 0 });
      expect(stock(store)).toEqual(FAMILY);
      expect((await exported(store, { format: "jsonl", sessionIds: ids })).report.messages).toBe(
        before.report.messages,
      );
      store.close();
      await expectSound(home.statePath);
    },
  );

  it("POR-08 P20 gives back every byte of rows that are hard on encoders", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    fillRichStore(store);
    const sessionIds = ["a-branch", "child", "empty", "rich"];
    const out = home.file("out.jsonl");
    const before = await exported(store, { format: "jsonl" });
    const report = await exportThenDelete(store, out, { sessionIds });
    expect(stock(store)).toEqual({});
    expect(readFileSync(out, "utf8").length).toBe(before.text.length);
    using to = open(home.file("to.db"));
    await importInto(to, out);
    const { text } = await exported(to, { format: "jsonl" });
    const runtime = (line: string): string => line.replace(/"(?:session_key|chat_id)":"[^"]*",?/g, "");
    const lines = (all: string): string[] => all.split("\n").slice(0, -2).map(runtime).sort();
    expect(lines(text)).toEqual(lines(readFileSync(out, "utf8")));
    expect(report.sessions).toBe(4);
  });

  it("POR-08 deletes nothing when another process appends between the export and the deletion", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    fillFamily(store);
    const out = home.file("out.jsonl");
    const script = join(repoRoot(), "packages/state-portability/test/children/append-one.mjs");
    const append = (): void => {
      const run = spawnSync(process.execPath, [script, home.statePath, "helper2"], {
        encoding: "utf8",
        timeout: 30_000,
        env: childEnvironment(),
      });
      expect(run).toMatchObject({ status: 0, stderr: "" });
    };
    await expect(
      between(out, append, () => exportThenDelete(store, out, { sessionIds: ["tip"] })),
    ).rejects.toMatchObject({
      code: "STATE_E_EXPORT_CHANGED",
      facts: { path: out, sessionId: "helper2", exported: 2, stored: 3 },
    });
    expect(stock(store)).toEqual({ ...FAMILY, helper2: 3 });
    // The file is whole, it is not overwritten, and another name works.
    using to = open(home.file("to.db"));
    expect(await importInto(to, out)).toMatchObject({ imported: 3, messages: 6 });
    const hash = fileHash(out);
    await expect(exportThenDelete(store, out, { sessionIds: ["tip"] })).rejects.toMatchObject({
      code: "STATE_E_EXPORT_TARGET",
    });
    expect(fileHash(out)).toBe(hash);
    expect(await exportThenDelete(store, home.file("2.jsonl"), { sessionIds: ["tip"] })).toMatchObject({ messages: 7 });
    expect(stock(store)).toEqual(without("tip", "helper", "helper2"));
  });

  const sql =
    (text: string) =>
    (store: StateStore): void =>
      void store.write("meddle", (w) => w.run(text));

  it.each<[string, string, (store: StateStore) => void]>([
    ["a word of one message", "STATE_E_EXPORT_CHANGED", sql("UPDATE messages SET content = 'x' WHERE id = 9")],
    ["a flag", "STATE_E_EXPORT_CHANGED", sql("UPDATE messages SET active = 0 WHERE session_id = 'helper'")],
    ["a title", "STATE_E_EXPORT_CHANGED", sql("UPDATE sessions SET title = 'new' WHERE id = 'tip'")],
    ["usage", "STATE_E_EXPORT_CHANGED", sql("UPDATE session_model_usage SET input_tokens = 10")],
    ["a message that went", "STATE_E_EXPORT_CHANGED", sql("DELETE FROM messages WHERE session_id = 'helper2'")],
    ["a session that went", "STATE_E_EXPORT_CHANGED", (store) => void store.retention.delete("helper2")],
    [
      "a new delegate",
      "STATE_E_TARGETS_CHANGED",
      ({ sessions }) => void sessions.create({ id: "new", source: "subagent", modelConfig: { _delegate_from: "tip" } }),
    ],
  ])("POR-08 deletes nothing when it differs from the export: %s", async (_what, code, change) => {
    using home = tempHome();
    using store = open(home.statePath);
    using other = open(home.statePath);
    fillFamily(store);
    const out = home.file("out.jsonl");
    let after: Record<string, number> = {};
    const meddle = (): void => {
      change(other);
      after = stock(other);
    };
    const work = between(out, meddle, () => exportThenDelete(store, out, { sessionIds: ["tip"] }));
    await expect(work).rejects.toMatchObject({ code, facts: { path: out } });
    expect(stock(store)).toEqual(after);
  });

  it("POR-08 deletes nothing while a turn is under way, before the export and after it", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    using other = open(home.statePath);
    fillFamily(store);
    const out = home.file("out.jsonl");
    const early = other.leases.acquire("turn", "root")!;
    await expect(exportThenDelete(store, out, { sessionIds: ["tip"] })).rejects.toMatchObject({
      code: "STATE_E_SESSION_IN_USE",
    });
    expect(existsSync(out)).toBe(false);
    other.leases.release(early);
    const take = (): void => void other.leases.acquire("compression", "helper");
    await expect(between(out, take, () => exportThenDelete(store, out, { sessionIds: ["tip"] }))).rejects.toMatchObject(
      { code: "STATE_E_SESSION_IN_USE", facts: { sessionId: "helper" } },
    );
    expect(stock(store)).toEqual(FAMILY);
    other.leases.release(other.leases.holder("compression", "helper") as never);
  });

  it.each<[string, (file: string) => void]>([
    ["loses its end", (file) => writeFileSync(file, readFileSync(file).subarray(0, -40))],
    ["has one byte changed", (file) => writeFileSync(file, readFileSync(file, "utf8").replace("answer", "Answer"))],
    ["grows", (file) => appendFileSync(file, "\n")],
    ["is removed", (file) => rmSync(file)],
  ])("POR-08 deletes nothing when the file %s before the deletion", async (_what, spoil) => {
    using home = tempHome();
    using store = open(home.statePath);
    fillFamily(store);
    const out = home.file("out.jsonl");
    const work = between(
      out,
      () => spoil(out),
      () => exportThenDelete(store, out, { sessionIds: ["tip"] }),
    );
    await expect(work).rejects.toMatchObject({ code: "STATE_E_EXPORT_UNVERIFIED", facts: { path: out } });
    expect(stock(store)).toEqual(FAMILY);
  });

  it.each<[string, (file: string) => void]>([
    ["loses its end", (file) => writeFileSync(file, readFileSync(file).subarray(0, -40))],
    ["has one byte changed", (file) => writeFileSync(file, readFileSync(file, "utf8").replace("answer", "Answer"))],
    ["is empty", (file) => writeFileSync(file, "")],
    ["is removed", (file) => rmSync(file)],
  ])("POR-08 notices while it reads the file again that it %s, and deletes nothing", async (_what, spoil) => {
    using home = tempHome();
    using store = open(home.statePath);
    fillFamily(store);
    const out = home.file("out.jsonl");
    let spoiled = false;
    const onProgress = ({ phase, done, total }: { phase: string; done: number; total: number | undefined }): void => {
      if (phase !== "exporting" || done !== total) return;
      // The file gets its name after the last report of the export; the disk loses it before it is read.
      setImmediate(function look() {
        if (spoiled) return;
        if (!existsSync(out)) setImmediate(look);
        else {
          spoil(out);
          spoiled = true;
        }
      });
    };
    const work = exportThenDelete(store, out, { sessionIds: ["tip"], onProgress });
    await expect(work).rejects.toMatchObject({ code: "STATE_E_EXPORT_UNVERIFIED", facts: { path: out } });
    expect({ spoiled, stock: stock(store) }).toEqual({ spoiled: true, stock: FAMILY });
  });

  it("POR-08 says which rows went that no export carries", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    fillFamily(store);
    store.write("a table of another program", (w) => {
      w.exec("CREATE TABLE notes (owner TEXT REFERENCES sessions(id) ON DELETE CASCADE, note TEXT)");
      w.run("INSERT INTO notes VALUES ('helper', 'a'), ('tip', 'b'), ('other', 'c')");
    });
    const report = await exportThenDelete(store, home.file("out.jsonl"), { sessionIds: ["tip"] });
    expect(report.notInFile).toEqual({ notes: 2 });
    expect(store.read((r) => r.tuples("SELECT note FROM notes"))).toEqual([["c"]]);
    const more = await exportThenDelete(store, home.file("2.jsonl"), { sessionIds: ["root"] });
    expect(more.notInFile).toEqual({});
  });

  it.each<[ExportFormat]>([["peer-jsonl"], ["md"], ["html"], ["openai"], ["sharegpt"], ["atif"]])(
    "POR-08 refuses %s, which does not hold everything",
    async (format) => {
      using home = tempHome();
      using store = open(home.statePath);
      fillFamily(store);
      const work = exportThenDelete(store, home.file("out"), { sessionIds: ["tip"], format });
      await expect(work).rejects.toMatchObject({ code: "STATE_E_EXPORT_LOSSY", facts: { format } });
      expect({ there: existsSync(home.file("out")), stock: stock(store) }).toEqual({ there: false, stock: FAMILY });
    },
  );

  it("POR-08 refuses targets that are no new plain file, unknown sessions, another set and a reader; nothing goes", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    fillFamily(store);
    const out = home.file("out.jsonl");
    mkdirSync(home.file("dir"));
    symlinkSync(home.statePath, home.file("link"));
    await exportStore(store, fileSink(store, home.file("old.jsonl")), { format: "jsonl", sessionIds: ["other"] });
    const taken = ["dir", "no/such/file", "link", "state.db", "state.db-wal", "old.jsonl"].map((name) =>
      home.file(name),
    );
    const old = fileHash(home.file("old.jsonl"));
    for (const target of [...taken, "/dev/null"]) {
      await expect(exportThenDelete(store, target, { sessionIds: ["tip"] }), target).rejects.toMatchObject({
        code: "STATE_E_EXPORT_TARGET",
      });
    }
    const run = (options: object): Promise<unknown> => exportThenDelete(store, out, options as never);
    await expect(run({ sessionIds: ["nobody"] })).rejects.toMatchObject({ code: "STATE_E_SESSION_NOT_FOUND" });
    await expect(run({ sessionIds: ["tip", "nobody"], lineage: "tree" })).rejects.toMatchObject({
      code: "STATE_E_SESSION_NOT_FOUND",
    });
    await expect(run({ sessionIds: ["tip"], expected: ["tip"] })).rejects.toMatchObject({
      code: "STATE_E_TARGETS_CHANGED",
    });
    await expect(run({ sessionIds: ["tip"], signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "STATE_E_ABORTED",
    });
    await expect(run({ sessionIds: ["tip"], redact: true })).rejects.toThrow(TypeError);
    await expect(run({ sessionIds: [] })).rejects.toThrow(TypeError);
    await expect(run({})).rejects.toThrow(TypeError);
    expect({ hash: fileHash(home.file("old.jsonl")), out: existsSync(out) }).toEqual({ hash: old, out: false });
    expect(stock(store)).toEqual(FAMILY);
    store.close();
    using reader = openStateStore({ path: home.statePath, mode: "read" });
    await expect(exportThenDelete(reader, out, { sessionIds: ["tip"] })).rejects.toMatchObject({
      code: "STATE_E_READONLY",
    });
  });
});
