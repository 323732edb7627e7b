import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { readRoutingFile } from "./read-routing-file.js";

const ID = "20260301_100000_cccc02aa";
const UTC = { zone: "UTC" };

function entry(key: string, change: object = {}): object {
  return {
    session_key: key,
    session_id: ID,
    created_at: "2026-05-28T20:26:40",
    updated_at: "2026-05-28T20:26:40",
    platform: "telegram",
    chat_type: "dm",
    origin: { platform: "telegram", chat_id: "5", chat_type: "dm" },
    ...change,
  };
}

describe("readRoutingFile", () => {
  it("GWS-02 reads the entries and leaves out remarks", () => {
    using dir = tempDir("routes");
    const [a, b] = ["agent:main:telegram:dm:5", "agent:main:telegram:dm:6"];
    const file = {
      _README: "Generated. Do not edit.",
      _version: 2,
      [a]: entry(a),
      [b]: entry(b, { memory_flushed: true }),
    };
    writeFileSync(dir.file("sessions.json"), JSON.stringify(file));
    const { entries, ...rest } = readRoutingFile(dir.file("sessions.json"), UTC);
    expect([...entries.keys()]).toEqual([a, b]);
    expect(entries.get(b)).toMatchObject({ session_id: ID, expiry_finalized: true });
    expect(entries.get(a)?.["exact_times"]).toMatchObject({ updated_at: ["2026-05-28T20:26:40", 1_780_000_000] });
    expect(rest).toEqual({ skipped: [] });
  });

  it("GWS-02 skips what is no entry one by one", () => {
    using dir = tempDir("routes");
    const file = {
      good: entry("good"),
      list: [],
      text: "x",
      nothing: null,
      nameless: {},
      climbing: entry("climbing", { session_id: "../../etc/passwd" }),
      "../climbing": entry("x"),
      inside: entry("/inside"),
    };
    writeFileSync(dir.file("sessions.json"), JSON.stringify(file));
    const { entries, skipped, problem } = readRoutingFile(dir.file("sessions.json"), UTC);
    expect([...entries.keys()]).toEqual(["good"]);
    expect(skipped.map(({ sessionKey }) => sessionKey).sort()).toEqual(
      Object.keys(file)
        .filter((key) => key !== "good")
        .sort(),
    );
    expect(problem).toBeUndefined();
  });

  it("P19 GWS-02 reads keys in their canonical form, and of two spellings the canonical one", () => {
    using dir = tempDir("routes");
    const keys = ["AGENT:main:Matrix:DM:AbC", "AGENT:main:matrix:dm:aBc", "agent:main:matrix:dm:aBc"];
    const file = keys.map((key, at) => [key, entry(key, { session_id: `s${String(at)}` })]);
    writeFileSync(dir.file("sessions.json"), JSON.stringify(Object.fromEntries(file)));
    const { entries } = readRoutingFile(dir.file("sessions.json"), UTC);
    expect([...entries].map(([key, json]) => [key, json["session_id"], json["session_key"]])).toEqual([
      ["agent:main:matrix:dm:AbC", "s0", "agent:main:matrix:dm:AbC"],
      ["agent:main:matrix:dm:aBc", "s2", "agent:main:matrix:dm:aBc"],
    ]);
  });

  it("GWS-02 takes over no credentials and no trust", () => {
    using dir = tempDir("routes");
    const secret = {
      model_override: { model: "m", api_key: "sk-secret", base_url: "https://u:sk-secret@h/v1" },
      origin: { platform: "telegram", chat_id: "5", role_authorized: true, delivered_via_upstream_relay: true },
    };
    writeFileSync(dir.file("sessions.json"), JSON.stringify({ k: entry("k", secret) }));
    const { entries } = readRoutingFile(dir.file("sessions.json"), UTC);
    expect(JSON.stringify([...entries])).not.toMatch(/sk-secret|role_authorized|relay/);
    expect(entries.get("k")).toMatchObject({ model_override: { model: "m", base_url: "https://h/v1" } });
  });

  it("GWS-02 reads a file with a byte order mark and with numbers as only Python writes them", () => {
    using dir = tempDir("routes");
    const text = JSON.stringify({ k: entry("k", { estimated_cost_usd: 0 }) }).replace('usd":0', 'usd":NaN');
    writeFileSync(dir.file("sessions.json"), `\uFEFF${text}`);
    expect(readRoutingFile(dir.file("sessions.json"), UTC).entries.get("k")).toMatchObject({ estimated_cost_usd: 0 });
  });

  it("GWS-02 keeps every digit of ids that were stored as numbers", () => {
    using dir = tempDir("routes");
    const text = JSON.stringify({ k: entry("k", { display_name: 'says "chat_id": 1234567890123456789,' }) });
    writeFileSync(dir.file("sessions.json"), text.replace('"chat_id":"5"', '"chat_id": 112233445566778899'));
    expect(readRoutingFile(dir.file("sessions.json"), UTC).entries.get("k")).toMatchObject({
      origin: { chat_id: "112233445566778899" },
      display_name: 'says "chat_id": 1234567890123456789,',
    });
  });

  it.each(["", "{", '{"k": {"session_id": "s"', "[]", "null", "7", '"text"', "\0\0\0\0", "[".repeat(200_000)])(
    "GWS-02 gives nothing and says why for a file that holds %j",
    (text) => {
      using dir = tempDir("routes");
      writeFileSync(dir.file("sessions.json"), text);
      const { entries, skipped, problem } = readRoutingFile(dir.file("sessions.json"));
      expect([entries.size, skipped, typeof problem]).toEqual([0, [], "string"]);
    },
  );

  it("GWS-02 gives nothing for a file that is not there", () => {
    using dir = tempDir("routes");
    expect(readRoutingFile(dir.file("sessions.json"))).toEqual({ entries: new Map(), skipped: [] });
    expect(readRoutingFile(dir.file("no/such/folder.json"))).toEqual({ entries: new Map(), skipped: [] });
  });

  it("GWS-02 reads neither folders nor pipes nor files without measure", () => {
    using dir = tempDir("routes");
    mkdirSync(dir.file("folder"));
    expect(spawnSync("sh", ["-c", 'mkfifo "$0"', dir.file("pipe")]).status).toBe(0);
    writeFileSync(dir.file("huge"), "{");
    truncateSync(dir.file("huge"), 300 * 1024 * 1024);
    for (const name of ["folder", "pipe", "huge"]) {
      const { entries, problem } = readRoutingFile(dir.file(name));
      expect([name, entries.size, typeof problem]).toEqual([name, 0, "string"]);
    }
  });
});
