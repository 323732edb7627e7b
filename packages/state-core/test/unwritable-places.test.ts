import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { fileHash, spawnNode, tempDir } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import { childScript } from "./worker.js";

interface Outcome {
  readonly error?: string;
  readonly message?: string;
  readonly sessions?: number;
}

/** Opens the store as a user who owns nothing: root may write anywhere, whatever the modes say. */
async function openAsNobody(path: string, mode: "write" | "read"): Promise<Outcome> {
  await using child = spawnNode(childScript("open-as-nobody.mjs"), [path, mode]);
  const end = await child.exit;
  expect(end.stderr).toBe("");
  return JSON.parse(end.stdout) as Outcome;
}

/** A folder that others may look into but not write to, with or without a store in it. */
function folder(dir: TempDir, journal?: "wal" | "delete"): { readonly path: string } & Disposable {
  chmodSync(dir.path, 0o755);
  const place = dir.file("place");
  mkdirSync(place);
  const path = `${place}/state.db`;
  if (journal !== undefined) {
    using store = openStateStore({ path, journal });
    store.sessions.create({ id: "s1", source: "test" });
  }
  if (journal !== undefined) chmodSync(path, 0o644);
  chmodSync(place, 0o555);
  const restore = (): void => {
    chmodSync(place, 0o755);
  };
  return { path, [Symbol.dispose]: restore };
}

describe("places that cannot be written", () => {
  it("GND-04 refuses to create a store in a read-only folder, and leaves the folder empty", async () => {
    using dir = tempDir("unwritable");
    using place = folder(dir);
    const { path } = place;
    const outcome = await openAsNobody(path, "write");
    expect(outcome.error).toBe("STATE_E_NOT_ACCESSIBLE");
    expect(outcome.message).toContain("chmod");
    expect(readdirSync(dir.file("place"))).toEqual([]);
    expect(await openAsNobody(path, "read")).toMatchObject({ error: "STATE_E_STORE_MISSING" });
  });

  it("GND-04 refuses to create a store below a folder it may not enter", async () => {
    using dir = tempDir("unwritable");
    chmodSync(dir.path, 0o000);
    const outcome = await openAsNobody(dir.file("sub/state.db"), "write");
    chmodSync(dir.path, 0o700);
    expect(outcome.error).toBe("STATE_E_NOT_ACCESSIBLE");
    expect(readdirSync(dir.path)).toEqual([]);
  });

  it.each(["wal", "delete"] as const)("GND-04 refuses to write to a store that is not writable (%s)", async (journal) => {
    using dir = tempDir("unwritable");
    using place = folder(dir, journal);
    const { path } = place;
    const before = fileHash(path);
    const outcome = await openAsNobody(path, "write");
    expect(outcome.error).toBe("STATE_E_NOT_ACCESSIBLE");
    expect(outcome.message).toContain("chmod");
    expect(fileHash(path)).toBe(before);
    expect(readdirSync(dir.file("place"))).toEqual(["state.db"]);
  });

  it("SCH-10 reads a rollback-journal store from a read-only folder", async () => {
    using dir = tempDir("unwritable");
    using place = folder(dir, "delete");
    const { path } = place;
    expect(await openAsNobody(path, "read")).toEqual({ sessions: 1 });
    expect(readdirSync(dir.file("place"))).toEqual(["state.db"]);
  });

  it("GND-04 a WAL store in a read-only folder is read, or refused with a code and the next action", async () => {
    using dir = tempDir("unwritable");
    using place = folder(dir, "wal");
    const { path } = place;
    const outcome = await openAsNobody(path, "read");
    if (outcome.error === undefined) expect(outcome).toEqual({ sessions: 1 });
    else expect(["STATE_E_NOT_ACCESSIBLE", "STATE_E_READONLY"]).toContain(outcome.error);
    expect(readdirSync(dir.file("place"))).toEqual(["state.db"]);
  });

  it("GND-04 refuses a store that it may not even read", async () => {
    using dir = tempDir("unwritable");
    using place = folder(dir, "delete");
    const { path } = place;
    chmodSync(path, 0o000);
    for (const mode of ["write", "read"] as const) {
      expect(await openAsNobody(path, mode)).toMatchObject({ error: "STATE_E_NOT_ACCESSIBLE" });
    }
  });
});
