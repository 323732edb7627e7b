import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { Writable } from "node:stream";
import { exportStore, fileSink, writableSink } from "@hermes/state-portability";
import { fileMode, tempHome, withUmask } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { exported, memorySink, open } from "./support.js";

describe("exportStore", () => {
  it("P27 COR-13 writes a file of mode 0600 under umask 022, and leaves no draft", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    store.sessions.create({ id: "s", source: "cli" });
    const out = home.file("out.jsonl");
    await withUmask(0o022, async () => await exportStore(store, fileSink(store, out), { format: "jsonl" }));
    expect(fileMode(out)).toBe(0o600);
    expect(readdirSync(home.path).filter((name) => name.includes("out"))).toEqual(["out.jsonl"]);
  });

  it("GND-03 refuses a target that exists, unless told to replace it", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    store.sessions.create({ id: "s", source: "cli" });
    const out = home.file("out.md");
    writeFileSync(out, "mine");
    expect(() => fileSink(store, out)).toThrow(expect.objectContaining({ code: "STATE_E_EXPORT_TARGET" }));
    expect(readFileSync(out, "utf8")).toBe("mine");
    await exportStore(store, fileSink(store, out, { overwrite: true }), { format: "md" });
    expect(readFileSync(out, "utf8")).toContain("# s");
  });

  it("GND-03 refuses a name that somebody took while the export ran", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const out = home.file("out.jsonl");
    const sink = fileSink(store, out);
    writeFileSync(out, "faster");
    await expect(exportStore(store, sink, { format: "jsonl" })).rejects.toMatchObject({
      code: "STATE_E_EXPORT_TARGET",
    });
    expect(readFileSync(out, "utf8")).toBe("faster");
    expect(readdirSync(home.path).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  it("GND-03 never takes a file of the store as its target, by link or sidecar", () => {
    using home = tempHome();
    using store = open(home.statePath);
    store.sessions.create({ id: "s", source: "cli" });
    symlinkSync(home.statePath, home.file("link"));
    const before = statSync(home.statePath).ino;
    for (const target of [home.statePath, `${home.statePath}-wal`, home.file("link")]) {
      expect(() => fileSink(store, target, { overwrite: true }), target).toThrow(
        expect.objectContaining({ code: "STATE_E_EXPORT_TARGET" }),
      );
    }
    expect(statSync(home.statePath).ino).toBe(before);
    expect(store.sessions.count()).toBe(1);
  });

  it("GND-04 names a folder, a missing folder and what to do", () => {
    using home = tempHome();
    using store = open(home.statePath);
    mkdirSync(home.file("dir"));
    for (const target of [home.file("dir"), home.file("no/such/file")]) {
      expect(() => fileSink(store, target)).toThrow(expect.objectContaining({ code: "STATE_E_EXPORT_TARGET" }));
    }
  });

  it("POR-01 selects by id, in the order asked for, and by filter, continuations included", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    store.sessions.create({ id: "a", source: "cli" });
    store.sessions.create({ id: "b", source: "telegram" });
    store.sessions.end("a", "compression");
    store.sessions.create({ id: "a2", source: "cli", parentSessionId: "a" });
    const ids = async (options: object): Promise<string[]> => {
      const { text } = await exported(store, { format: "peer-jsonl", ...options });
      return text
        .split("\n")
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { id: string }).id);
    };
    expect(await ids({ sessionIds: ["b", "a", "b"] })).toEqual(["b", "a"]);
    expect((await ids({ filter: { source: "cli" } })).sort()).toEqual(["a", "a2"]);
    expect(await ids({ filter: { source: "cli", includeChildren: false } })).toEqual(["a"]);
    expect(await ids({})).toEqual(["a", "a2", "b"]);
  });

  it("POR-01 tells the sink to drop everything when a session is missing, the caller stops, or writing fails", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    store.sessions.create({ id: "a", source: "cli" });
    store.sessions.create({ id: "b", source: "cli" });
    const missing = memorySink();
    await expect(exportStore(store, missing, { format: "jsonl", sessionIds: ["a", "nope"] })).rejects.toMatchObject({
      code: "STATE_E_SESSION_NOT_FOUND",
    });
    const controller = new AbortController();
    const stopped = memorySink();
    const onSession = (): void => controller.abort();
    await expect(
      exportStore(store, stopped, { format: "jsonl", signal: controller.signal, onSession }),
    ).rejects.toMatchObject({ code: "STATE_E_ABORTED" });
    const out = home.file("out.jsonl");
    const sink = fileSink(store, out);
    const failing = { ...sink, write: () => Promise.reject(new Error("disk")) };
    await expect(exportStore(store, failing, { format: "jsonl" })).rejects.toThrow("disk");
    expect([missing.aborted, stopped.aborted, existsSync(out)]).toEqual([true, true, false]);
    expect(readdirSync(home.path).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  it("POR-01 waits for a slow reader instead of holding what it wrote", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    store.sessions.create({ id: "a", source: "cli" });
    store.messages.appendBatch(
      "a",
      Array.from({ length: 40 }, () => ({ role: "user", content: "x".repeat(100_000) })),
    );
    let most = 0;
    let got = 0;
    const slow = new Writable({
      highWaterMark: 64 * 1024,
      write(chunk: Buffer, _encoding, done) {
        most = Math.max(most, slow.writableLength);
        got += chunk.length;
        setTimeout(done, 1);
      },
    });
    const report = await exportStore(store, writableSink(slow), { format: "jsonl" });
    expect(got).toBe(report.bytes);
    expect(report.bytes).toBeGreaterThan(4_000_000);
    expect(most).toBeLessThan(1_000_000);
  });

  it("POR-01 reads a session as one state although another process changes it meanwhile", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    store.sessions.create({ id: "a", source: "cli" });
    store.messages.appendBatch(
      "a",
      Array.from({ length: 50 }, (_, index) => ({ role: "user", content: `m${index}` })),
    );
    using other = open(home.statePath);
    let rows = 0;
    const read = store.read.bind(store);
    // While the export reads its 25th row, another handle archives everything and adds a summary.
    store.read = (fn) =>
      read((r) =>
        fn({
          ...r,
          all: r.all.bind(r),
          tuples: r.tuples.bind(r),
          get(sql, params) {
            if (sql.includes("FROM messages WHERE id = ?") && ++rows === 25) {
              other.write("compact", (w) => w.run("UPDATE messages SET active = 0, compacted = 1"));
              other.messages.append("a", { role: "assistant", content: "summary", compressedSummary: true });
            }
            return r.get(sql, params);
          },
        }),
      );
    const { text } = await exported(store, { format: "jsonl" });
    const lines = text.split("\n").filter((line) => line.startsWith('{"type":"message"'));
    const active = lines.map((line) => (JSON.parse(line) as { row: { active: number } }).row.active);
    expect(rows).toBe(50);
    expect(active).toEqual(Array.from({ length: 50 }, () => 1));
  });

  it("TypeError and RangeError name misspelt options and formats", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    await expect(exportStore(store, memorySink(), { format: "jsonl", sessionId: "a" } as never)).rejects.toThrow(
      /sessionIds/,
    );
    await expect(exportStore(store, memorySink(), { format: "csv" as never })).rejects.toThrow(RangeError);
    chmodSync(home.path, 0o700);
  });
});
