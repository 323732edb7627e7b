import { hasPython } from "@hermes/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { optimizeStorage, runBackfill } from "../src/index.js";
import { type CrashBench, crashBench, MATRIX_TIMEOUT, openFast } from "./helpers/crash-bench.js";
import { makePending } from "./helpers/legacy-file.js";

describe.runIf(hasPython())("SIGKILL at every statement of an upgrade", () => {
  let bench: CrashBench;

  beforeAll(() => {
    bench = crashBench();
  }, 120_000);

  afterAll(() => {
    bench[Symbol.dispose]();
  });

  it(
    "SEA-08 a backfill that dies anywhere goes on where it stood, each row indexed once",
    async () => {
      const path = bench.copy("pending.db");
      makePending(path, 0);
      await bench.kill("backfill", path, async (killed) => {
        using store = openFast(killed);
        await runBackfill(store, { pauseMs: 0 });
      });
    },
    MATRIX_TIMEOUT,
  );

  it(
    "SEA-12 an upgrade that dies anywhere is finished by the next run, and nothing is stamped before",
    async () => {
      await bench.kill("optimize", bench.legacy, async (killed) => {
        using store = openFast(killed);
        expect(await optimizeStorage(store, { pauseMs: 0 })).toMatchObject({ ok: true, layout: 3 });
      });
    },
    MATRIX_TIMEOUT,
  );
});
