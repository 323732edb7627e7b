import { copyFileSync, statSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import { detachFts } from "@hermes/state-schema";
import { describePython, fileHash, type TempDir, tempDir } from "@hermes/testkit";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  indexStatus,
  isOptimizeAvailable,
  mergeIndexes,
  optimizeStorage,
  rebuildIndexes,
  retryStaleRecovery,
} from "../src/index.js";
import { buildLegacyFile, makePending } from "./helpers/legacy-file.js";
import { type Census, countWords, expectWords } from "./helpers/word-census.js";

/** States of an index, and how to bring a copy of a legacy store there. */
const STATES: Readonly<Record<string, (path: string) => void>> = {
  legacy: () => undefined,
  pending: (path) => makePending(path, 200),
  stale: (path) => {
    using store = openStateStore({ path });
    store.write("test: detach", detachFts);
  },
};

describePython("a store that is open for reading", () => {
  let dir: TempDir;
  let legacy: string;
  let census: Census;

  beforeAll(() => {
    dir = tempDir("read-only");
    legacy = buildLegacyFile(dir.file("legacy.db"), 600);
    using store = openStateStore({ path: legacy, mode: "read" });
    census = countWords(store);
  });

  afterAll(() => {
    dir[Symbol.dispose]();
  });

  for (const [state, enter] of Object.entries(STATES)) {
    it(`SEA-08 SEA-11 SEA-12 finds every word of a ${state} store and changes no byte of it`, async () => {
      const path = dir.file(`${state}.db`);
      copyFileSync(legacy, path);
      enter(path);
      const before = fileHash(path);
      {
        using store = openStateStore({ path, mode: "read" });
        expectWords(store, census, state);
        expect(indexStatus(store).stale).toBe(state === "stale");
        expect(isOptimizeAvailable(store)).toBe(false);
        expect(await optimizeStorage(store)).toMatchObject({ ok: false, reason: "read_only" });
        expect(await rebuildIndexes(store)).toMatchObject({ ok: false });
        expect(retryStaleRecovery(store).kind).not.toBe("recovered");
        if (state === "pending") expect(() => mergeIndexes(store)).toThrow(/STATE_E_READ|read/i);
      }
      expect(fileHash(path)).toBe(before);
      // The engine may leave an empty log behind; it holds no write.
      expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    });
  }
});
