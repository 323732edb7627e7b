import { describe, expect, it } from "vitest";
import { addMessage, addSession, buildOldFile, change } from "../../test/old-file.js";
import { openTestHost, type TestHost } from "../../test/test-host.js";
import { setMeta } from "../sql/set-meta.js";
import { probeCapabilities } from "./capabilities.js";
import { createIndexObjects } from "./create-index.js";
import { readIndexState } from "./read-index-state.js";
import { stepBackfill, type BackfillStep } from "./step-backfill.js";

const CAPABLE = { fts5: true, trigram: true };

function pendingFile(layout: 1 | 2 | 3, rows: number): TestHost {
  const host = openTestHost(":memory:");
  buildOldFile(host, { version: 30, layout });
  change(host, (w) => {
    addSession(w, "s");
    for (let n = 1; n <= rows; n += 1)
      addMessage(w, "s", { role: n % 5 === 0 ? "tool" : "user", content: `item${n} oldword` });
    createIndexObjects(w, CAPABLE, layout);
  });
  return host;
}

const step = (host: TestHost): BackfillStep => change(host, (w) => stepBackfill(w, CAPABLE));
const count = (host: TestHost, table: string, term: string): number =>
  host.db.prepare(`SELECT COUNT(*) FROM ${table} WHERE ${table} MATCH ?`).pluck().get(term) as number;

function expectSettled(host: TestHost): void {
  expect(readIndexState(host, probeCapabilities(host)).pending).toBeUndefined();
  for (const table of ["messages_fts", "messages_fts_trigram"]) {
    host.db.exec(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
  }
  const rows = host.db.prepare("SELECT COUNT(*) FROM messages").pluck().get();
  expect(host.db.prepare("SELECT COUNT(*) FROM messages_fts_docsize").pluck().get()).toBe(rows);
}

describe.each([1, 2, 3] as const)("SEA-08 backfill of layout %s", (layout) => {
  it("SEA-08 takes 500 ids a step and ends by removing its markers", () => {
    using host = pendingFile(layout, 1200);
    expect(count(host, "messages_fts", "oldword")).toBe(0);
    expect([step(host), step(host), step(host), step(host)]).toEqual(["more", "more", "done", "none"]);
    expect(count(host, "messages_fts", "oldword")).toBe(1200);
    expect(count(host, "messages_fts_trigram", "oldword")).toBe(960);
    expectSettled(host);
  });

  it("SEA-08 stays right while rows on both sides of the progress change", () => {
    using host = pendingFile(layout, 1200);
    step(host);
    change(host, (w) => {
      addMessage(w, "s", { content: "newword" });
      w.run("UPDATE messages SET content = 'changed early' WHERE id = 11");
      w.run("UPDATE messages SET content = 'changed late' WHERE id = 911");
      w.run("DELETE FROM messages WHERE id IN (12, 912)");
    });
    expect(count(host, "messages_fts", "newword")).toBe(1);
    expect([step(host), step(host)]).toEqual(["more", "done"]);
    expect(count(host, "messages_fts", "changed")).toBe(2);
    expect(count(host, "messages_fts", "oldword")).toBe(1196);
    expectSettled(host);
  });
});

it("SEA-08 leaves the row at the high water alone until its turn: it is not indexed yet", () => {
  using host = pendingFile(3, 600);
  step(host);
  change(host, (w) => {
    w.run("UPDATE messages SET content = 'changed' WHERE id IN (500, 501, 600)");
    w.run("DELETE FROM messages WHERE id = 599");
  });
  expect(count(host, "messages_fts", "changed")).toBe(1);
  expect(step(host)).toBe("done");
  expect(count(host, "messages_fts", "changed")).toBe(3);
  expectSettled(host);
});

it("SEA-08 starts over from an emptied index when the progress is missing", () => {
  using host = pendingFile(3, 700);
  step(host);
  change(host, (w) => w.run("DELETE FROM state_meta WHERE key = 'fts_rebuild_progress'"));
  expect([step(host), step(host)]).toEqual(["more", "done"]);
  expectSettled(host);
});

it("SEA-08 finds rows missed around the high water", () => {
  using host = pendingFile(3, 20);
  change(host, (w) => {
    setMeta(w, "fts_rebuild_high_water", "15");
    setMeta(w, "fts_rebuild_progress", "10");
  });
  expect(step(host)).toBe("done");
  expectSettled(host);
});

it("SEA-08 finishes on an empty store and clears its markers", () => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 30, layout: 3 });
  change(host, (w) => {
    setMeta(w, "fts_rebuild_high_water", "0");
    setMeta(w, "fts_rebuild_progress", "0");
  });
  expect(step(host)).toBe("done");
  expectSettled(host);
});

it("SEA-08 finishes the word index where the trigram tokenizer is absent", () => {
  using host = pendingFile(3, 30);
  change(host, (w) => w.exec("DROP TRIGGER messages_fts_trigram_insert"));
  expect(change(host, (w) => stepBackfill(w, { fts5: true, trigram: false }))).toBe("done");
  expect(count(host, "messages_fts", "oldword")).toBe(30);
  expect(count(host, "messages_fts_trigram", "oldword")).toBe(0);
});

it.each(["content-only", 0] as const)("SEA-08 never works on layout %s, which has no markers", (layout) => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 30, layout });
  change(host, (w) => {
    setMeta(w, "fts_rebuild_high_water", "9");
    setMeta(w, "fts_rebuild_progress", "0");
  });
  expect(step(host)).toBe("none");
});
