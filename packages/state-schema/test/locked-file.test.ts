import { describe, expect, it } from "vitest";
import { initializeSchema, probeSchema } from "../src/index.js";
import { addSession, beforeTransaction, buildOldFile, change } from "./old-file.js";
import { lockHolder } from "./python.js";
import { tempFolder } from "./temp-files.js";
import { openTestHost, type TestHost } from "./test-host.js";

describe("a Python process that holds the write lock", () => {
  it("SCH-02 makes an open wait for its structure, and never lets it go on without", async () => {
    using folder = tempFolder();
    const path = oldFile(folder.file("state.db"));
    using host = openTestHost(path, { patienceMs: 10_000 });
    await using holder = await lockHolder(path, 1.2);
    holder.take();
    expect(initializeSchema(host)).toMatchObject({ versionAfter: 30, problems: [] });
    expect(probeSchema(host).current).toBe(true);
  });

  it("SCH-02 beyond the patience of the host the lock error leaves as it came, and nothing is half done", async () => {
    using folder = tempFolder();
    const path = oldFile(folder.file("state.db"));
    using host = openTestHost(path, { patienceMs: 50 });
    const objects = host.all("SELECT name, sql FROM sqlite_master");
    const holder = await lockHolder(path, 15);
    holder.take();
    expect(() => initializeSchema(host)).toThrow(expect.objectContaining({ code: "SQLITE_BUSY" }));
    expect(host.all("SELECT name, sql FROM sqlite_master")).toEqual(objects);
    await holder.release();
    expect(initializeSchema(host)).toMatchObject({ versionAfter: 30, problems: [] });
  });

  it("SCH-04 pauses a migration between two steps; the open succeeds, the next one resumes", async () => {
    using folder = tempFolder();
    const path = oldFile(folder.file("state.db"));
    using host = openTestHost(path, { patienceMs: 50 });
    const holder = await lockHolder(path, 15);
    const started = performance.now();
    const report = initializeSchema(beforeTransaction(host, "move system prompts", 2, () => holder.take()));
    expect(performance.now() - started).toBeLessThan(10_000);
    await holder.release();
    expect(report).toMatchObject({ versionAfter: 24, pausedAt: 25, migrated: [] });
    expect(report.problems).toHaveLength(1);
    expect(count(host, "system_prompt_hash IS NOT NULL")).toBe(200);
    expect(initializeSchema(host)).toMatchObject({
      versionAfter: 30,
      pausedAt: undefined,
      migrated: [25, 30],
      problems: [],
    });
    expect(count(host, "system_prompt IS NOT NULL")).toBe(0);
  });

  it("SCH-11 does not keep an up-to-date file from being opened", async () => {
    using folder = tempFolder();
    const path = oldFile(folder.file("state.db"));
    using host = openTestHost(path, { patienceMs: 50 });
    initializeSchema(host);
    await using holder = await lockHolder(path, 15);
    holder.take();
    expect(initializeSchema(host)).toMatchObject({ versionAfter: 30, problems: [] });
  });
});

const count = (host: TestHost, where: string): unknown =>
  host.db.prepare(`SELECT COUNT(*) FROM sessions WHERE ${where}`).pluck().get();

/** An old file in WAL mode with prompts to move. */
function oldFile(path: string): string {
  using host = openTestHost(path);
  host.db.pragma("journal_mode = WAL");
  buildOldFile(host, { version: 24, layout: 1, broad: true });
  change(host, (w) => {
    for (let n = 0; n < 450; n += 1) addSession(w, `s${n}`, { system_prompt: `prompt ${n}` });
  });
  return path;
}
