import { builtPackage, tempDir } from "@hermes/testkit";
import { expect, it } from "vitest";
import type * as Core from "../src/index.js";

// The worker is a file of the build, so the build is what is tested here.
builtPackage("state-core");
const built: string = "../dist/index.js";
const { openStateStoreAsync } = (await import(built)) as typeof Core;

it("COR-38 COR-33 prunes, maintains and compacts off the event loop", async () => {
  using dir = tempDir("retention");
  const files = dir.file("sessions");
  await using store = await openStateStoreAsync({ path: dir.file("state.db") });
  await store.sessions.create({ id: "old", source: "cli", startedAtSeconds: 1_000 });
  await store.sessions.end("old", "done", { atSeconds: 2_000 });
  const dry = await store.retention.prune({}, { dryRun: true, files });
  expect(dry.sessions).toEqual(["old"]);
  expect(await store.retention.autoMaintain({ files })).toMatchObject({ skipped: undefined, pruned: 1 });
  expect((await store.retention.vacuum()).bytesAfter).toBeGreaterThan(0);
  await expect(store.retention.prune({ olderThanDays: -1 })).rejects.toThrow(RangeError);
  expect(await store.sessions.count()).toBe(0);
});
