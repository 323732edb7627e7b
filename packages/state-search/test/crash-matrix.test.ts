import { copyFileSync, existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openStateStore, type StateStore } from "@hermes/state-core";
import { detachFts } from "@hermes/state-schema";
import { builtPackage, hasPython, runCrashMatrix, runPython, type TempDir, tempDir } from "@hermes/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { optimizeStorage, rebuildIndexes, runBackfill } from "../src/index.js";
import { buildLegacyFile, makePending } from "./helpers/legacy-file.js";
import { searchIds } from "./helpers/search-ids.js";
import {
  type Census,
  countWords,
  expectNotStampedEarly,
  expectWholeIndex,
  expectWords,
} from "./helpers/word-census.js";

const ROWS = 3000;
/** How many statements a matrix dies at, unless its distinct ones are more; HERMES_CRASH_POINTS=0 takes all. */
const MOST = Number(process.env["HERMES_CRASH_POINTS"] ?? 24) || Infinity;
/** The whole census takes a second: after each kill a share of the words is asked, another one each time. */
const SHARE = MOST === Infinity ? 1 : 10;
const script = fileURLToPath(new URL("children/index-life.mjs", import.meta.url));

const open = (path: string): StateStore => openStateStore({ path, durability: "normal" });

describe.runIf(hasPython())("SIGKILL at every statement of the index's life", () => {
  let dir: TempDir;
  let legacy: string;
  let census: Census;

  beforeAll(() => {
    builtPackage("state-search");
    dir = tempDir("crash-matrix");
    legacy = buildLegacyFile(dir.file("legacy.db"), ROWS);
    using store = openStateStore({ path: legacy });
    census = countWords(store);
    expect(store.info().ftsLayout).toBe(0);
    expectWords(store, census, "before");
  }, 60_000);

  afterAll(() => {
    dir[Symbol.dispose]();
  });

  /** Kills one scenario everywhere; each time `finish` must bring the store to a whole index of the same words. */
  async function matrix(name: string, pristine: string, finish: (path: string) => void | Promise<void>): Promise<void> {
    let turn = 0;
    const report = await runCrashMatrix({
      pristine,
      script,
      args: [name],
      most: MOST,
      verify: async (path, context) => {
        {
          expect(existsSync(`${pristine}-wal`), "the pristine file is closed").toBe(false);
          using reader = openStateStore({ path, mode: "read" });
          // A stamp from before the index was taken off says nothing of now; what counts is that no new one is given.
          if (reader.meta.get("fts_stale") === undefined) reader.read((r) => expectNotStampedEarly(r, context));
          expectWords(reader, census, `${context}, before the next run`, 2 * SHARE, turn++);
        }
        await finish(path);
        using store = open(path);
        expectWholeIndex(store, context);
        expectWords(store, census, context, turn === 1 ? 1 : SHARE, turn);
      },
    });
    expect(report.points).toBeGreaterThanOrEqual(Math.min(report.distinct, 12));
    console.info(`${name}: killed at ${String(report.points)} of ${String(report.statements)} statements`);
  }

  const copyOf = (path: string, name: string): string => {
    copyFileSync(path, dir.file(name));
    return dir.file(name);
  };

  it("SEA-08 a backfill that dies anywhere goes on where it stood, each row indexed once", async () => {
    const path = copyOf(legacy, "pending.db");
    makePending(path, 0);
    await matrix("backfill", path, async (killed) => {
      using store = open(killed);
      await runBackfill(store, { pauseMs: 0 });
    });
  }, 300_000);

  it("SEA-12 an upgrade that dies anywhere is finished by the next run, and nothing is stamped before", async () => {
    await matrix("optimize", legacy, async (killed) => {
      using store = open(killed);
      expect(await optimizeStorage(store, { pauseMs: 0 })).toMatchObject({ ok: true, layout: 3 });
    });
  }, 300_000);

  /** A copy whose index is whole and of the newest layout. */
  async function settled(name: string): Promise<string> {
    const path = copyOf(legacy, name);
    using store = open(path);
    expect(await optimizeStorage(store, { pauseMs: 0 })).toMatchObject({ ok: true });
    return path;
  }

  /** The next open replaces a stale index; a replaced one may be filled in part, which any run of the backfill ends. */
  async function recover(path: string): Promise<void> {
    using store = open(path);
    expect(store.meta.get("fts_stale")).toBeUndefined();
    await runBackfill(store, { pauseMs: 0 });
  }

  it("COR-09 SEA-11 a write that takes a wrecked index off stores its row or not, and the index comes back", async () => {
    const path = await settled("wrecked.db");
    runPython(WRECK, { path });
    await matrix("append", path, async (killed) => {
      {
        using store = open(killed);
        const { id } = store.messages.append("old-1", { role: "user", content: "afterwards" });
        expect(searchIds(store, "afterwards")).toEqual([id]);
      }
      await recover(killed);
    });
  }, 300_000);

  it("SEA-09 a rebuild that dies anywhere leaves its words to a backfill, and its lock to nobody", async () => {
    const path = await settled("rebuild.db");
    await matrix("rebuild", path, async (killed) => {
      await recover(killed);
      using store = open(killed);
      expect(await rebuildIndexes(store, { pauseMs: 0, waitMs: 0 })).toMatchObject({ ok: true, pending: false });
    });
  }, 300_000);

  it("SEA-11 a recovery that dies anywhere is done by the next open, words of the gap included", async () => {
    const path = await settled("stale.db");
    {
      using store = open(path);
      store.write("test: detach", detachFts);
      const gap = Array.from({ length: 20 }, (_, n) => ({ role: "user", content: `unheard${String(n)} 没有人听见` }));
      store.messages.appendBatch("old-2", gap);
    }
    await matrix("open", path, async (killed) => {
      await recover(killed);
      using store = open(killed);
      expect(searchIds(store, "没有人听见")).toHaveLength(20);
    });
  }, 300_000);
});

/** A structure record of nonsense: the engine refuses to read or write the index. */
const WRECK = `
db = sqlite3.connect(args["path"])
for table in ("messages_fts_data", "messages_fts_trigram_data"):
    db.execute(f"UPDATE {table} SET block = x'00000001ffffff7fffffff7f00' WHERE id = 10")
db.commit()
db.close()
answer(None)
`;
