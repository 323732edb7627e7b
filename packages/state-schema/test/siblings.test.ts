import { describe, expect, it } from "vitest";
import { initializeSchema, probeSchema, readIndexState } from "../src/index.js";
import { addMessage, addSession, beforeTransaction, buildOldFile, change } from "./old-file.js";
import { tempFolder, type TempFolder } from "./temp-files.js";
import { openTestHost } from "./test-host.js";

/** Two connections to one old file, as two processes have them. */
function siblings(folder: TempFolder, layout: 0 | 3, version: number) {
  const path = folder.file("state.db");
  const late = openTestHost(path);
  buildOldFile(late, { version, layout, broad: true });
  return { late, early: openTestHost(path) };
}

describe("P11 a sibling that is faster at every step", () => {
  it.each([
    "bring the schema up to date",
    "mark delegated sessions",
    "copy peers of old routing entries",
    "seed usage rows",
    "offer the search upgrade",
    "move system prompts",
    "renew the trigram index",
  ])("P11 SCH-04 before: %s. Its new rows are not taken for old ones", (label) => {
    using folder = tempFolder();
    const { early, late } = siblings(folder, 0, 14);
    change(late, (w) => addSession(w, "old", { title: "t", system_prompt: "p", input_tokens: 3 }));
    const overtaken = beforeTransaction(late, label, 1, () => {
      initializeSchema(early);
      change(early, (w) => {
        addSession(w, "new", { input_tokens: 5, system_prompt: "inline on purpose" });
        addMessage(w, "new", { role: "tool" });
      });
    });
    expect(initializeSchema(overtaken)).toMatchObject({ versionAfter: 30, pausedAt: undefined, problems: [] });
    expect(probeSchema(late).current).toBe(true);
    expect(late.get("SELECT model_config, system_prompt FROM sessions WHERE id = 'new'")).toEqual({
      model_config: null,
      system_prompt: "inline on purpose",
    });
    expect(late.all("SELECT session_id FROM session_model_usage")).toEqual([{ session_id: "old" }]);
    early.db.close();
    late.db.close();
  });

  it("P11 SEA-09 renews the trigram index once", () => {
    using folder = tempFolder();
    const { early, late } = siblings(folder, 3, 26);
    const rebuilds: string[] = [];
    const overtaken = beforeTransaction(late, "renew the trigram index", 1, () => initializeSchema(early));
    initializeSchema({
      ...overtaken,
      transaction: (label, fn) =>
        overtaken.transaction(label, (w) =>
          fn({
            ...w,
            exec: (sql) => {
              if (sql.includes("'rebuild'")) rebuilds.push(sql);
              w.exec(sql);
            },
          }),
        ),
    });
    expect(rebuilds).toEqual([]);
    expect(late.get("SELECT version FROM schema_version")).toEqual({ version: 30 });
    early.db.close();
    late.db.close();
  });

  it("P11 SCH-08 restores a lost index once", () => {
    using folder = tempFolder();
    const { early, late } = siblings(folder, 3, 30);
    initializeSchema(late);
    change(late, (w) => {
      addSession(w, "s");
      for (let n = 0; n < 1200; n += 1) addMessage(w, "s");
      w.exec("DROP TRIGGER messages_fts_insert");
    });
    const overtaken = beforeTransaction(late, "restore the search index", 1, () =>
      initializeSchema(early, { backfillSteps: 1 }),
    );
    expect(initializeSchema(overtaken).index).toMatchObject({ restored: undefined, pending: true });
    expect(readIndexState(late, { fts5: true, trigram: true }).pending).toEqual({ progress: 500, highWater: 1200 });
    early.db.close();
    late.db.close();
  });

  it("P11 SCH-01 two processes that create the file agree", () => {
    using folder = tempFolder();
    using late = openTestHost(folder.file("state.db"));
    using early = openTestHost(folder.file("state.db"));
    const overtaken = beforeTransaction(late, "bring the schema up to date", 1, () => initializeSchema(early));
    expect(initializeSchema(overtaken)).toMatchObject({ created: false, versionAfter: 30, layout: 3, problems: [] });
    expect(late.get("SELECT COUNT(*) AS rows FROM schema_version")).toEqual({ rows: 1 });
  });
});
