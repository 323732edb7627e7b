import { detachFts } from "@hermes/state-schema";
import { hasPython, runPython } from "@hermes/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rebuildIndexes, runBackfill } from "../src/index.js";
import { type CrashBench, crashBench, MATRIX_TIMEOUT, openFast } from "./helpers/crash-bench.js";
import { searchIds } from "./helpers/search-ids.js";

/** The next open replaces a stale index; a replaced one may be filled in part, which any run of the backfill ends. */
async function recover(path: string): Promise<void> {
  using store = openFast(path);
  expect(store.meta.get("fts_stale")).toBeUndefined();
  await runBackfill(store, { pauseMs: 0 });
}

describe.runIf(hasPython())("SIGKILL at every statement of a recovery", () => {
  let bench: CrashBench;

  beforeAll(() => {
    bench = crashBench();
  }, 120_000);

  afterAll(() => {
    bench[Symbol.dispose]();
  });

  it(
    "COR-09 SEA-11 a write that takes a wrecked index off stores its row or not, and the index comes back",
    async () => {
      const path = bench.copy("wrecked.db");
      runPython(WRECK, { path });
      await bench.kill("append", path, async (killed) => {
        {
          using store = openFast(killed);
          const { id } = store.messages.append("old-1", { role: "user", content: "afterwards" });
          expect(searchIds(store, "afterwards")).toEqual([id]);
        }
        await recover(killed);
      });
    },
    MATRIX_TIMEOUT,
  );

  it(
    "SEA-09 a rebuild that dies anywhere leaves its words to a backfill, and its lock to nobody",
    async () => {
      const path = await bench.settled("rebuild.db");
      await bench.kill("rebuild", path, async (killed) => {
        await recover(killed);
        using store = openFast(killed);
        expect(await rebuildIndexes(store, { pauseMs: 0, waitMs: 0 })).toMatchObject({ ok: true, pending: false });
      });
    },
    MATRIX_TIMEOUT,
  );

  it(
    "SEA-11 a recovery that dies anywhere is done by the next open, words of the gap included",
    async () => {
      const path = bench.copy("stale.db");
      {
        using store = openFast(path);
        store.write("test: detach", detachFts);
        const gap = Array.from({ length: 20 }, (_, n) => ({ role: "user", content: `unheard${n} 没有人听见` }));
        store.messages.appendBatch("old-2", gap);
      }
      await bench.kill("open", path, async (killed) => {
        await recover(killed);
        using store = openFast(killed);
        expect(searchIds(store, "没有人听见")).toHaveLength(20);
      });
    },
    MATRIX_TIMEOUT,
  );
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
