import { describe, expect, it } from "vitest";
import { addMessage, addSession, buildOldFile, change } from "../../test/old-file.js";
import { openTestHost, type TestHost } from "../../test/test-host.js";
import type { CreatableLayout } from "./create-fts-objects.js";

const LAYOUTS: readonly CreatableLayout[] = ["content-only", 0, 1, 2, 3];

describe.each(LAYOUTS)("triggers of layout %s", (layout) => {
  it("SCH-06 keep the indexes equal to the messages through insert, update and delete", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 30, layout });
    change(host, (w) => {
      addSession(w, "s");
      const first = addMessage(w, "s", { content: "alpha bravo" });
      const second = addMessage(w, "s", { role: "assistant", content: "charlie", toolName: "grep_repo" });
      addMessage(w, "s", { role: "tool", content: "delta" });
      w.run("UPDATE messages SET content = 'echo foxtrot' WHERE id = ?", [first]);
      w.run("UPDATE messages SET role = 'tool' WHERE id = ?", [second]);
      w.run("UPDATE messages SET active = 0, compacted = 1");
      w.run("DELETE FROM messages WHERE content = 'delta'");
    });
    expect(match(host, "messages_fts", "alpha")).toEqual([]);
    expect(match(host, "messages_fts", "foxtrot")).toEqual([1]);
    expect(match(host, "messages_fts", "charlie")).toEqual([2]);
    expect(match(host, "messages_fts", "grep_repo")).toEqual(layout === "content-only" ? [] : [2]);
    expect(match(host, "messages_fts", "delta")).toEqual([]);
    if (layout !== "content-only") {
      expect(match(host, "messages_fts_trigram", "oxtr")).toEqual([1]);
      expect(match(host, "messages_fts_trigram", "harl")).toEqual(layout === 0 ? [2] : []);
    }
    expectIntact(host, layout);
  });

  it("SCH-07 fires no search trigger for a change of flags", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 30, layout });
    change(host, (w) => {
      addSession(w, "s");
      addMessage(w, "s", { content: "alpha" });
    });
    const before = indexBytes(host);
    change(host, (w) => w.run("UPDATE messages SET active = 0, compacted = 1, observed = 1, display_kind = 'x'"));
    expect(indexBytes(host)).toBe(before);
  });
});

it("SCH-06 indexes of a tool row only the first 8,192 characters, and forgets exactly those", () => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 30, layout: 3 });
  const long = `headword ${"x ".repeat(4500)} tailword`;
  change(host, (w) => {
    addSession(w, "s");
    addMessage(w, "s", { role: "tool", content: long });
    addMessage(w, "s", { role: "user", content: long });
  });
  expect(match(host, "messages_fts", "headword")).toEqual([1, 2]);
  expect(match(host, "messages_fts", "tailword")).toEqual([2]);
  change(host, (w) => w.run("DELETE FROM messages WHERE id = 1"));
  expectIntact(host, 3);
});

it.each([
  ["a plain session", {}, [1]],
  ["a scheduled session", { source: "cron" }, []],
  ["a subagent session", { source: "subagent" }, []],
  ["a delegated session", { model_config: '{"_delegate_from":"p"}' }, []],
  ["a session with a broken config", { model_config: "{oops" }, [1]],
  ["a session whose config is a list", { model_config: "[1]" }, [1]],
] as const)("SCH-06 admits to the trigram index: %s", (_, cells, ids) => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 30, layout: 3 });
  change(host, (w) => {
    addSession(w, "s", cells);
    addMessage(w, "s", { content: "needle", toolCalls: '[{"name":"haystack"}]' });
    addMessage(w, "s", { role: "tool", content: "needle" });
  });
  expect(match(host, "messages_fts_trigram", "eedl")).toEqual(ids);
  expect(match(host, "messages_fts_trigram", "aysta")).toEqual([]);
  expect(match(host, "messages_fts", "haystack")).toEqual([1]);
  change(host, (w) => w.run("DELETE FROM messages"));
  expectIntact(host, 3);
});

function match(host: TestHost, table: string, term: string): unknown[] {
  return host.db.prepare(`SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid`).pluck().all(term);
}

function indexBytes(host: TestHost): string {
  const blocks = host.db.prepare("SELECT id, hex(block) AS block FROM messages_fts_data ORDER BY id").all();
  return JSON.stringify(blocks);
}

/** The engine compares an external index with what its triggers should have left. */
function expectIntact(host: TestHost, layout: CreatableLayout): void {
  const tables = layout === "content-only" ? ["messages_fts"] : ["messages_fts", "messages_fts_trigram"];
  for (const table of tables) host.db.exec(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
}
