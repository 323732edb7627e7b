import { expect, it } from "vitest";
import { addMessage, addSession, buildOldFile, change } from "../../test/old-file.js";
import { openTestHost } from "../../test/test-host.js";
import { detachFts } from "./detach-fts.js";
import { readIndexState } from "./read-index-state.js";

it("COR-09 sets the marker and drops every sync trigger in one transaction", () => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 30, layout: 3 });
  change(host, (w) => {
    addSession(w, "s");
    w.exec("CREATE TRIGGER messages_fts_cjk_insert AFTER INSERT ON messages BEGIN SELECT 1; END");
    detachFts(w);
    addMessage(w, "s");
  });
  const left = host.db.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%fts%'").all();
  expect(left).toEqual([]);
  expect(host.db.prepare("SELECT key, value FROM state_meta ORDER BY key").raw().all()).toEqual([
    ["fts_cjk_stale", "1"],
    ["fts_stale", "1"],
  ]);
  expect(readIndexState(host, { fts5: true, trigram: true })).toMatchObject({
    layout: 3,
    stale: true,
    word: { present: true, triggers: false, readable: true },
  });
});

it("COR-09 leaves the CJK marker alone where no CJK trigger was live", () => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 30, layout: 3 });
  change(host, (w) => detachFts(w));
  expect(host.db.prepare("SELECT key FROM state_meta").pluck().all()).toEqual(["fts_stale"]);
});

it("SCH-08 judges the two indexes on their own", () => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 30, layout: 3 });
  change(host, (w) => w.exec("DROP TRIGGER messages_fts_trigram_update"));
  expect(readIndexState(host, { fts5: true, trigram: false })).toMatchObject({
    word: { present: true, triggers: true, readable: true },
    trigram: { present: true, triggers: false, readable: false },
  });
  expect(readIndexState(host, { fts5: false, trigram: false }).word.readable).toBe(false);
});
