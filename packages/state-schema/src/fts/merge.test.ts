import { expect, it } from "vitest";
import { addMessage, addSession, buildOldFile, change } from "../../test/old-file.js";
import { openTestHost, type TestHost } from "../../test/test-host.js";
import { detachFts } from "./detach-fts.js";
import { lowerUserMerge, mergeableTables, mergePages } from "./merge.js";

const CAPABLE = { fts5: true, trigram: true };

/** A file whose word index has many segments: one per transaction. */
function fragmented(): TestHost {
  const host = openTestHost(":memory:");
  buildOldFile(host, { version: 30, layout: 3 });
  change(host, (w) => addSession(w, "s"));
  host.db.exec("INSERT INTO messages_fts(messages_fts, rank) VALUES ('automerge', 0)");
  for (let batch = 0; batch < 12; batch += 1) {
    change(host, (w) => {
      for (let n = 0; n < 100; n += 1) {
        const words = Array.from({ length: 10 }, (_, word) => `w${batch}x${n}x${word}`);
        addMessage(w, "s", { content: `item${n} ${words.join(" ")}` });
      }
    });
  }
  return host;
}

const segments = (host: TestHost): number =>
  host.db.prepare("SELECT COUNT(DISTINCT segid) FROM messages_fts_idx").pluck().get() as number;
const config = (host: TestHost, table: string): unknown =>
  host.db.prepare(`SELECT v FROM ${table}_config WHERE k = 'usermerge'`).pluck().get();
const found = (host: TestHost): unknown[] =>
  host.db.prepare("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'item7' ORDER BY rowid").pluck().all();

it("SEA-13 merges until a command changes fewer than two rows, and finds the same as before", () => {
  using host = fragmented();
  const before = found(host);
  expect(segments(host)).toBeGreaterThan(8);
  change(host, (w) => lowerUserMerge(w, "messages_fts"));
  let commands = 0;
  while (change(host, (w) => mergePages(w, "messages_fts", 1))) commands += 1;
  expect(commands).toBeGreaterThan(1);
  expect(segments(host)).toBeLessThan(4);
  expect(found(host)).toEqual(before);
  expect(before).toHaveLength(12);
});

it("SEA-13 lowers usermerge once per table: an index that is made later gets it too", () => {
  using host = fragmented();
  change(host, (w) => lowerUserMerge(w, "messages_fts"));
  expect([config(host, "messages_fts"), config(host, "messages_fts_trigram")]).toEqual([2, undefined]);
  const changesOf = (table: string): number =>
    change(host, (w) => {
      const before = host.db.prepare("SELECT total_changes()").pluck().get() as number;
      lowerUserMerge(w, table);
      return (host.db.prepare("SELECT total_changes()").pluck().get() as number) - before;
    });
  expect(changesOf("messages_fts")).toBe(0);
  expect(changesOf("messages_fts_trigram")).toBeGreaterThan(0);
  expect(config(host, "messages_fts_trigram")).toBe(2);
});

it("SEA-13 leaves out what is missing, unreadable or detached", () => {
  using host = fragmented();
  expect(mergeableTables(host, CAPABLE)).toEqual(["messages_fts", "messages_fts_trigram"]);
  expect(mergeableTables(host, { fts5: true, trigram: false })).toEqual(["messages_fts"]);
  host.db.exec("DROP TABLE messages_fts_trigram");
  expect(mergeableTables(host, CAPABLE)).toEqual(["messages_fts"]);
  change(host, detachFts);
  expect(mergeableTables(host, CAPABLE)).toEqual([]);
});
