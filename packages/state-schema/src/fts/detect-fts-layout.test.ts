import { describe, expect, it } from "vitest";
import { broadenTriggers, buildOldFile, change } from "../../test/old-file.js";
import { openTestHost } from "../../test/test-host.js";
import { setMeta } from "../sql/set-meta.js";
import { createFtsObjects, type CreatableLayout } from "./create-fts-objects.js";
import { detectFtsLayout } from "./detect-fts-layout.js";
import { dropTriggers } from "./detach-fts.js";
import { ALL_FTS_TRIGGERS } from "./names.js";

const LAYOUTS: readonly CreatableLayout[] = ["content-only", 0, 1, 2, 3];

describe.each(LAYOUTS)("SCH-05 layout %s", (layout) => {
  it("SCH-05 is detected from its own objects, with and without triggers", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 30, layout });
    expect(detectFtsLayout(host)).toBe(layout);
    change(host, (w) => broadenTriggers(w));
    expect(detectFtsLayout(host)).toBe(layout);
    change(host, (w) => dropTriggers(w, ALL_FTS_TRIGGERS));
    expect(detectFtsLayout(host)).toBe(layout);
  });

  it("SCH-05 does not believe the marker", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 30, layout });
    for (const value of ["1", "2", "3", "rubbish"]) {
      change(host, (w) => setMeta(w, "fts_storage_version", value));
      expect(detectFtsLayout(host)).toBe(layout);
    }
  });
});

it("SCH-05 tells a file without an index", () => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 30, layout: "none" });
  expect(detectFtsLayout(host)).toBe("none");
});

it("SCH-05 judges a layout-1 and a layout-2 file by the columns of the trigram table", () => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 30, layout: "none" });
  change(host, (w) => createFtsObjects(w, 2, { trigram: false }));
  expect(detectFtsLayout(host)).toBe(1);
  change(host, (w) => createFtsObjects(w, 2));
  expect(detectFtsLayout(host)).toBe(2);
});

describe("SCH-05 calls a file mixed when its parts are of different generations", () => {
  it.each<readonly [string, CreatableLayout, string, CreatableLayout]>([
    ["old word index, inline trigram", "content-only", "messages_fts_trigram", 0],
    ["inline word index, external trigram", 0, "messages_fts_trigram", 3],
    ["external word index, inline trigram", 1, "messages_fts_trigram", 0],
    ["projected word index, wide trigram", 3, "messages_fts_trigram", 1],
  ])("SCH-05 %s", (_, layout, table, other) => {
    using host = openTestHost(":memory:");
    using donor = openTestHost(":memory:");
    buildOldFile(host, { version: 30, layout });
    buildOldFile(donor, { version: 30, layout: other });
    change(host, (w) => {
      w.exec(`DROP TABLE IF EXISTS ${table}`);
      w.exec(sqlOf(donor, table));
    });
    expect(detectFtsLayout(host)).toBe("mixed");
  });

  it("SCH-05 old word index whose update trigger was replaced by an inline one", () => {
    using host = openTestHost(":memory:");
    using donor = openTestHost(":memory:");
    buildOldFile(host, { version: 30, layout: "content-only" });
    buildOldFile(donor, { version: 30, layout: 0 });
    change(host, (w) => {
      w.exec("DROP TRIGGER messages_fts_update");
      w.exec(sqlOf(donor, "messages_fts_update"));
    });
    expect(detectFtsLayout(host)).toBe("mixed");
  });
});

function sqlOf(host: ReturnType<typeof openTestHost>, name: string): string {
  return host.db.prepare("SELECT sql FROM sqlite_master WHERE name = ?").pluck().get(name) as string;
}
