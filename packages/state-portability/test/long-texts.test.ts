import { execFileSync } from "node:child_process";
import type { StateStore } from "@hermes/state-core";
import { describePython, tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { stateJsonlCodec } from "../src/state-jsonl/state-jsonl-codec.js";
import { readSession, storeShape } from "../src/rows/read-session.js";
import { exported, imported, open, records } from "./support.js";

/** Above the size from which texts are read piece by piece, with characters of every length at every border. */
const LONG: Readonly<Record<string, string>> = {
  plain: 'x"\\\n'.repeat(30_000),
  wide: `a${"修".repeat(60_000)}`,
  pairs: `ab${"👩‍👩‍👧𝕏".repeat(9_000)}`,
  nul: `\u0000json:${JSON.stringify([{ type: "text", text: "数据 \u0001".repeat(20_000) }])}`,
  replacements: `\uFFFD${"\uFFFD".repeat(40_000)}end`,
  huge: "0123456789".repeat(500_000),
};

/** Content that no message of ours has, laid down as it is. */
function lay(store: StateStore, texts: Readonly<Record<string, string>>): void {
  store.sessions.create({ id: "long", source: "cli", startedAtSeconds: 1 });
  store.write("lay long texts", (w) => {
    for (const text of Object.values(texts)) {
      w.run("INSERT INTO messages (session_id, role, content, reasoning, timestamp) VALUES ('long', 'user', ?, ?, 1)", [
        text,
        text.length < 100_000 ? text : "short",
      ]);
    }
  });
}

/** The lines of one session, without long texts in pieces. */
function wholeLines(store: StateStore): string {
  return store.read((r) => {
    const { piecedRows, ...document } = readSession(r, storeShape(r), "long")!;
    expect(piecedRows).toBeTypeOf("function");
    return [...stateJsonlCodec.session(document, 0)].join("");
  });
}

describe("long texts", () => {
  it("P20 POR-01 are written piece by piece, the same bytes as at once, and come back exactly", async () => {
    using home = tempHome();
    using store = open(home.file("a.db"));
    lay(store, LONG);
    const { text } = await exported(store, { format: "jsonl" });
    expect(text.split("\n").slice(1, -2).join("\n")).toBe(wholeLines(store).trimEnd());
    const contents = records(text).flatMap(({ row }) => ("content" in row ? [row["content"]] : []));
    expect(contents).toEqual(Object.values(LONG));
    using target = open(home.file("b.db"));
    await imported(target, text);
    expect((await exported(target, { format: "jsonl" })).text).toBe(text);
  });

  it.each([
    ["at the end", "CAST(? AS BLOB) || x'ff'"],
    ["in the middle", "CAST(? AS BLOB) || x'edA080' || CAST(? AS BLOB)"],
    ["where a piece ends", "substr(CAST(? AS BLOB), 1, 32767) || x'e4' || CAST(? AS BLOB)"],
  ])("POR-01 are written as their bytes when they are no UTF-8 %s", async (_where, bytes) => {
    using home = tempHome();
    using store = open(home.file("a.db"));
    lay(store, { before: "y".repeat(50_000), spoilt: "", after: "z".repeat(50_000) });
    const text = "x".repeat(100_000);
    store.write("spoil a text", (w) => {
      const places = bytes.split("?").length - 1;
      w.run(`UPDATE messages SET content = CAST(${bytes} AS TEXT) WHERE id = 2`, new Array<string>(places).fill(text));
    });
    const first = await exported(store, { format: "jsonl" });
    const [, before, spoilt, after] = records(first.text);
    expect(spoilt?.row["content"]).toEqual({ $text: expect.any(String) as string });
    expect([before?.row["content"], after?.row["content"]]).toEqual(["y".repeat(50_000), "z".repeat(50_000)]);
    using target = open(home.file("b.db"));
    await imported(target, first.text);
    expect((await exported(target, { format: "jsonl" })).text).toBe(first.text);
  });

  it("POR-06 are redacted as a whole: a secret over the border of two pieces is found", async () => {
    using home = tempHome();
    using store = open(home.file("a.db"));
    const secret = `sk-ant-api03-${"A1b2C3d4".repeat(12)}`;
    const padding = "w ".repeat(16_350);
    lay(store, { secret: `${padding}${secret} ${padding}` });
    const { text, report } = await exported(store, { format: "jsonl", redact: true });
    expect(text).not.toContain("A1b2C3d4A1b2C3d4");
    expect(Object.values(report.redacted).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  });
});

describePython("long texts of files that Python made", () => {
  it("POR-01 come back exactly from a file whose texts are UTF-16", async () => {
    using home = tempHome();
    const make = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])";
    const script = "PRAGMA encoding = 'UTF-16le'; CREATE TABLE own (x);";
    execFileSync("python3", ["-c", make, home.file("a.db"), script]);
    using store = open(home.file("a.db"));
    lay(store, { wide: "数据 x".repeat(30_000), plain: "y".repeat(70_000) });
    expect(store.read((r) => r.get("PRAGMA encoding"))).toEqual({ encoding: "UTF-16le" });
    const { text } = await exported(store, { format: "jsonl" });
    expect(records(text).map(({ row }) => row["content"])).toEqual([
      undefined,
      "数据 x".repeat(30_000),
      "y".repeat(70_000),
    ]);
  });
});
