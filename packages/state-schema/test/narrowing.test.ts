import { describe, expect, it } from "vitest";
import { ftsObjects, initializeSchema } from "../src/index.js";
import { addMessage, addSession, buildOldFile, change } from "./old-file.js";
import { openTestHost, type TestHost } from "./test-host.js";

const updates = (host: TestHost): Record<string, string> =>
  Object.fromEntries(
    host
      .all<{ name: string; sql: string }>("SELECT name, sql FROM sqlite_master WHERE name LIKE 'messages_fts%update'")
      .map(({ name, sql }) => [name, /AFTER UPDATE (?:OF ([\w, ]+) )?ON/.exec(sql)?.[1] ?? "everything"]),
  );

describe("SCH-07 broad update triggers", () => {
  it.each([
    ["content-only", { messages_fts_update: "content" }],
    [
      0,
      {
        messages_fts_update: "content, tool_calls, tool_name",
        messages_fts_trigram_update: "content, tool_calls, tool_name",
      },
    ],
    [
      1,
      {
        messages_fts_update: "content, tool_calls, tool_name",
        messages_fts_trigram_update: "role, content, tool_calls, tool_name",
      },
    ],
    [
      2,
      {
        messages_fts_update: "content, tool_calls, tool_name",
        messages_fts_trigram_update: "role, content, tool_name",
      },
    ],
    [
      3,
      {
        messages_fts_update: "role, content, tool_calls, tool_name",
        messages_fts_trigram_update: "role, content, tool_name",
      },
    ],
  ] as const)("SCH-07 are narrowed in layout %s without a rebuild", (layout, expected) => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 30, layout, broad: true });
    change(host, (w) => {
      addSession(w, "s");
      addMessage(w, "s", { content: "alpha" });
    });
    const blocks = (): unknown => host.all("SELECT id, hex(block) FROM messages_fts_data");
    const before = blocks();
    const report = initializeSchema(host);
    expect([...report.index.narrowedTriggers].sort()).toEqual(Object.keys(expected).sort());
    expect(updates(host)).toEqual(expected);
    expect(report.index.restored).toBeUndefined();
    expect(host.rebuilds.asked).toBe(0);
    expect(blocks()).toEqual(before);
    change(host, (w) => w.run("UPDATE messages SET active = 0, compacted = 1"));
    expect(blocks()).toEqual(before);
    change(host, (w) => w.run("UPDATE messages SET content = 'bravo'"));
    expect(host.all("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'bravo'")).toHaveLength(1);
    host.db.exec("INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)");
  });

  it("SCH-07 keep their body: what the index was built by decides what is forgotten", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 30, layout: 3, broad: true });
    const sql = (): string =>
      host.get<{ sql: string }>("SELECT sql FROM sqlite_master WHERE name = 'messages_fts_update'")?.sql ?? "";
    const body = (text: string): string => text.slice(text.indexOf("WHEN"));
    const before = body(sql());
    initializeSchema(host);
    expect(body(sql())).toBe(before);
  });

  it("SCH-05 are left as they are in a mixed file", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 30, layout: "content-only", broad: true });
    const { trigram } = ftsObjects(0);
    for (const { sql } of [trigram!.table, ...trigram!.triggers]) host.db.exec(sql);
    const objects = (): unknown =>
      host.all("SELECT name, sql FROM sqlite_master WHERE name LIKE 'messages_fts_%update'");
    const before = objects();
    expect(initializeSchema(host)).toMatchObject({ layout: "mixed", index: { narrowedTriggers: [] } });
    expect(objects()).toEqual(before);
  });
});
