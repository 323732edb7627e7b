import { mkdirSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openStateStore, type DriverConnection, type Driver, type StateStore } from "@hermes/state-core";
import { detachFts } from "@hermes/state-schema";
import { describePython, spawnNode, type TempDir, tempDir } from "@hermes/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { optimizeStorage, rebuildIndexes, runBackfill, stepBackfill } from "../src/index.js";
import { hookedDriver } from "./helpers/hooked-driver.js";
import { pauseBackfill } from "./helpers/index-states.js";
import { buildLegacyFile } from "./helpers/legacy-file.js";
import { searchIds } from "./helpers/search-ids.js";
import { countWords, expectNotStampedEarly, expectWholeIndex, expectWords } from "./helpers/word-census.js";

const FULL: unknown = expect.objectContaining({ code: "STATE_E_DISK_FULL" });
const NO_LIMIT = 1_073_741_823;

/** A volume that has room for so many more pages of the file. */
class SmallVolume {
  #writer: DriverConnection | undefined;
  readonly driver: Driver = hookedDriver({
    running: (sql, connection) => {
      if (sql === "BEGIN IMMEDIATE") this.#writer = connection;
    },
  });

  leave(pages: number): void {
    const used = Number(this.#writer?.pragma("page_count"));
    this.#writer?.pragma(`max_page_count=${String(Math.min(used + pages, NO_LIMIT))}`);
  }
}

function marker(store: StateStore): unknown {
  return [store.meta.get("fts_rebuild_high_water"), store.meta.get("fts_rebuild_progress")];
}

describe("a full disk", () => {
  let dir: TempDir;
  let volume: SmallVolume;

  beforeEach(() => {
    dir = tempDir("disk-full");
    volume = new SmallVolume();
  });

  afterEach(() => {
    dir[Symbol.dispose]();
  });

  function expectWritable(store: StateStore, session: string): void {
    const { id } = store.messages.append(session, { role: "user", content: "stored all the same" });
    expect(searchIds(store, "stored")).toEqual([id]);
  }

  it("SEA-08 GND-04 fails a step of a backfill cleanly: its markers stay, messages are stored, a later run ends it", async () => {
    using store = openStateStore({ path: dir.file("state.db"), driver: volume.driver, durability: "normal" });
    store.sessions.create({ id: "s", source: "cli" });
    const rows = Array.from({ length: 900 }, (_, n) => ({
      role: "user",
      content: `early${String(n)} ${"words ".repeat(40)}`,
    }));
    store.messages.appendBatch("s", rows);
    pauseBackfill(store, 0);
    const census = countWords(store);
    volume.leave(2);
    store.write("test: use the free pages up", (w) =>
      w.run(
        "INSERT INTO state_meta (key, value) SELECT 'filler', hex(zeroblob(1024 * freelist_count * 2)) FROM pragma_freelist_count",
      ),
    );
    volume.leave(12);
    expect(() => stepBackfill(store)).toThrow(FULL);
    expect(marker(store)).toEqual(["900", "0"]);
    expectWords(store, census, "on a full disk", 20);
    expectWritable(store, "s");
    await expect(runBackfill(store, { pauseMs: 0 })).rejects.toThrow(FULL);
    volume.leave(NO_LIMIT);
    await runBackfill(store, { pauseMs: 0 });
    store.meta.set("fts_storage_version", "3");
    expectWholeIndex(store, "afterwards");
    expectWords(store, census, "afterwards", 5);
  });
});

describePython("a full disk under an upgrade", () => {
  let dir: TempDir;
  let path: string;

  beforeEach(() => {
    dir = tempDir("disk-full");
    path = buildLegacyFile(dir.file("state.db"), 900);
  });

  afterEach(() => {
    dir[Symbol.dispose]();
  });

  for (const [where, pages] of [
    ["the first step", 2],
    ["the middle", 24],
  ] as const) {
    it(`SEA-12 GND-04 fails in ${where} cleanly: nothing is stamped, messages are stored, a later run ends it`, async () => {
      const volume = new SmallVolume();
      using store = openStateStore({ path, driver: volume.driver, durability: "normal" });
      const census = countWords(store);
      store.write("test: find the writer", (w) => w.run("UPDATE state_meta SET value = value"));
      volume.leave(pages);
      await expect(optimizeStorage(store, { pauseMs: 0 })).rejects.toThrow(FULL);
      expect(store.info().ftsLayout).toBe(pages === 2 ? 0 : 3);
      store.read((r) => expectNotStampedEarly(r, where));
      expectWords(store, census, where, 10);
      volume.leave(12);
      const { id } = store.messages.append("old-1", { role: "user", content: "stored all the same" });
      expect(searchIds(store, "stored")).toEqual([id]);
      volume.leave(NO_LIMIT);
      expect(await optimizeStorage(store, { pauseMs: 0 })).toMatchObject({ ok: true, layout: 3 });
      expectWholeIndex(store, "afterwards");
      expectWords(store, census, "afterwards", 5);
    });
  }

  it("SEA-12 a VACUUM that the volume has no room for is no failure of the upgrade", async () => {
    const script = fileURLToPath(new URL("children/upgrade-on-small-volume.mjs", import.meta.url));
    {
      // A store much larger than its log: a copy of it does not fit where the log does.
      using store = openStateStore({ path });
      store.messages.append("old-1", { role: "tool", content: "x".repeat(16_000_000) });
    }
    await using child = spawnNode(script, [path], { timeout: 60_000, env: { TMPDIR: dir.path } });
    const end = await child.exit;
    expect(end, end.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(end.stdout)).toMatchObject({ ok: true, vacuumed: false, found: 1 });
    using store = openStateStore({ path });
    expectWholeIndex(store, "afterwards");
  });

  for (const [what, block] of [
    ["is a folder", (lock: string) => mkdirSync(lock)],
    ["is on a full volume", (lock: string) => symlinkSync("/dev/full", lock)],
    ["is in no folder", (lock: string) => symlinkSync("/nowhere/at/all", lock)],
  ] as const) {
    it(`SEA-09 does not rebuild when the lock file ${what}: the index stays stale, messages are stored and found`, async () => {
      {
        using store = openStateStore({ path });
        store.write("test: detach", detachFts);
      }
      block(`${path}.fts_rebuild.lock`);
      using store = openStateStore({ path });
      expect(store.meta.get("fts_stale")).toBe("1");
      const { id } = store.messages.append("old-1", { role: "user", content: "stored all the same" });
      expect(searchIds(store, "stored")).toEqual([id]);
      expect(await rebuildIndexes(store, { waitMs: 0, pauseMs: 0 })).toMatchObject({
        ok: false,
        reason: "lock-failed",
      });
      expect(store.meta.get("fts_stale")).toBe("1");
    });
  }
});
