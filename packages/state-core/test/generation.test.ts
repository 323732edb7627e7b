import { copyFileSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { fileHash, tempDir } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import type { StateStore } from "../src/index.js";

function store(dir: TempDir, name: string, session: string): string {
  const path = dir.file(name);
  using opened = openStateStore({ path });
  opened.sessions.create({ id: session, source: "test" });
  opened.messages.append(session, { role: "user", content: session });
  return path;
}

function expectRefusal(opened: StateStore, code: string): void {
  const refusal = expect.objectContaining({ code }) as Error;
  expect(() => opened.messages.append("old", { role: "user", content: "lost?" })).toThrow(refusal);
  // Sticky: putting the old file back does not revive the handle's claim to know what it writes to.
  expect(() => opened.sessions.create({ id: "x", source: "test" })).toThrow(refusal);
}

/** Main file and sidecars, by hash. */
function bundle(path: string): Record<string, string | undefined> {
  return Object.fromEntries(["", "-wal", "-shm", "-journal"].map((suffix) => [suffix, fileHash(path + suffix)]));
}

describe("a file that changes under an open handle", () => {
  it.each(["wal", "delete"] as const)(
    "COR-11 T23 refuses to write once another file was renamed over it (%s), and leaves the new one byte for byte",
    (journal) => {
      using dir = tempDir("generation");
      const path = dir.file("state.db");
      const opened = openStateStore({ path, journal });
      opened.sessions.create({ id: "old", source: "test" });
      const other = store(dir, "other.db", "new");
      const before = fileHash(other);
      renameSync(other, path);
      expectRefusal(opened, "STATE_E_REPLACED");
      opened.close();
      expect(fileHash(path)).toBe(before);
      rmSync(`${path}-wal`, { force: true });
      rmSync(`${path}-shm`, { force: true });
      using fresh = openStateStore({ path });
      expect(fresh.sessions.find("new")?.id).toBe("new");
      expect(fresh.sessions.find("old")).toBeUndefined();
    },
  );

  it("COR-11 T23 leaves a restored bundle whole: main file and log come through the close of the old handle", () => {
    using dir = tempDir("generation");
    using aside = tempDir("generation");
    const path = dir.file("state.db");
    const opened = openStateStore({ path });
    opened.sessions.create({ id: "old", source: "test" });
    // A bundle with rows that only its log holds.
    const other = aside.file("state.db");
    const writer = openStateStore({ path: other });
    writer.sessions.create({ id: "new", source: "test" });
    for (const suffix of ["", "-wal"]) copyFileSync(other + suffix, aside.file(`copy.db${suffix}`));
    writer.close();
    rmSync(`${path}-shm`, { force: true });
    for (const suffix of ["-wal", ""]) renameSync(aside.file(`copy.db${suffix}`), path + suffix);
    const before = bundle(path);
    expect(before["-wal"]).toBeDefined();
    expectRefusal(opened, "STATE_E_REPLACED");
    opened.close();
    expect(bundle(path)).toEqual(before);
    using fresh = openStateStore({ path });
    expect(fresh.sessions.find("new")?.id).toBe("new");
  });

  it("COR-11 refuses to write once the file was removed, and creates nothing", () => {
    using dir = tempDir("generation");
    const path = dir.file("state.db");
    const opened = openStateStore({ path });
    opened.sessions.create({ id: "old", source: "test" });
    for (const name of readdirSync(dir.path)) rmSync(dir.file(name));
    expectRefusal(opened, "STATE_E_REPLACED");
    opened.close();
    expect(existsSync(path)).toBe(false);
  });

  it("COR-11 refuses to write once the log was deleted", () => {
    using dir = tempDir("generation");
    const path = dir.file("state.db");
    const opened = openStateStore({ path });
    opened.sessions.create({ id: "old", source: "test" });
    rmSync(`${path}-wal`);
    expectRefusal(opened, "STATE_E_WAL_DELETED");
    opened.close();
  });

  it("COR-11 a store moved by its folder is another path: the handle refuses instead of writing to nowhere", () => {
    using dir = tempDir("generation");
    using aside = tempDir("generation");
    const path = dir.file("state.db");
    const opened = openStateStore({ path });
    opened.sessions.create({ id: "old", source: "test" });
    renameSync(path, aside.file("state.db"));
    expectRefusal(opened, "STATE_E_REPLACED");
    opened.close();
  });
});
