import { chmodSync, copyFileSync, existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { openStateStore } from "@hermes/state-core";
import { searchMessages } from "@hermes/state-search";
import {
  copyPeerFile,
  describePeer,
  describePython,
  fileHash,
  hashRows,
  openPeerDatabase,
  startPythonPeer,
  tempDir,
} from "@hermes/testkit";
import type { PythonPeer, TempDir } from "@hermes/testkit";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyRepair, checkStore, listBundles, planRepair } from "../src/index.js";
import type { RepairReport } from "../src/index.js";
import { RECIPES } from "./recipes/all-recipes.js";
import type { Recipe } from "./recipes/recipe.js";
import { buildSoundStore, MESSAGES_PER_SESSION, readManifest, SESSIONS } from "./recipes/sound-store.js";
import type { Manifest } from "./recipes/sound-store.js";

const ROOM = { freeBytes: 1e12, totalBytes: 1e12 };
const plenty = (): typeof ROOM => ROOM;

let shelf: TempDir;
const sound: Record<string, { path: string; manifest: Manifest }> = {};
beforeAll(() => {
  shelf = tempDir("sound");
  for (const journal of ["wal", "delete"] as const) {
    const path = shelf.file(`${journal}.db`);
    sound[journal] = { path, manifest: buildSoundStore(path, { journal }) };
  }
});
afterAll(() => {
  shelf[Symbol.dispose]();
});

async function damaged(recipe: Recipe, folder: TempDir): Promise<{ path: string; manifest: Manifest }> {
  const from = sound[recipe.journal ?? "wal"]!;
  const path = folder.file("state.db");
  copyFileSync(from.path, path);
  const { manifest } = from;
  await recipe.damage(path);
  return { path, manifest };
}

/** Name and hash of every file of a folder: a process of its own reads them. */
function bytesOf(folder: TempDir): Record<string, string | undefined> {
  const names = readdirSync(folder.path).filter((name) => !name.endsWith("-shm") && !name.endsWith(".lock"));
  return Object.fromEntries(names.map((name) => [name, fileHash(join(folder.path, name))]));
}

function expectAnswer(recipe: Recipe, report: RepairReport): void {
  const { answer } = recipe;
  if ("refused" in answer) {
    expect(report).toMatchObject({ repaired: false, strategy: null, reason: answer.refused });
    expect(report.error).toMatch(/Nothing was changed/);
  } else {
    expect({ error: report.error, strategies: report.strategies }).toEqual({
      error: null,
      strategies: answer.strategies,
    });
    expect(report.repaired).toBe(true);
    expect(report.strategy).toBe(answer.strategies.at(-1) ?? "already_healthy");
  }
}

/** The rows of a manifest are all there, cell by cell; rows may have been added since. */
function expectRows(path: string, manifest: Manifest): void {
  const now = readManifest(path);
  for (const [id, { messages }] of Object.entries(manifest.sessions)) {
    expect(now.sessions[id]?.messages.slice(0, messages.length)).toEqual(messages);
  }
  const same = Object.entries(manifest.sessions).filter(([id, { hash }]) => now.sessions[id]?.hash === hash);
  // Damage that wrote a message itself touched one session.
  expect(same.length).toBeGreaterThanOrEqual(SESSIONS - 1);
}

function journalModeOf(path: string): unknown {
  const database = new Database(path, { readonly: true });
  try {
    return database.pragma("journal_mode", { simple: true });
  } finally {
    database.close();
  }
}

describe("the damage of the test book", () => {
  it.each(RECIPES)("REP-06 REP-07 REP-12 recipe $number: $title", async (recipe) => {
    using folder = tempDir("recipe");
    const { path, manifest } = await damaged(recipe, folder);
    const before = bytesOf(folder);

    const plan = await planRepair(path, { space: plenty });
    expect(plan.verdict).toBe(recipe.verdict);
    expect(bytesOf(folder)).toEqual(before);
    const healed = "strategies" in recipe.answer ? recipe.answer.strategies : undefined;
    expect(plan.outcome).toBe(healed === undefined ? "recover" : healed.length === 0 ? "healthy" : "repair");
    expect(plan.strategies?.map(({ strategy }) => strategy) ?? []).toEqual(healed ?? []);

    const report = await applyRepair(plan, { space: plenty });
    expectAnswer(recipe, report);
    expect(existsSync(`${path}.repair-scratch`)).toBe(false);
    if (healed === undefined) {
      expect(fileHash(path)).toBe(before[basename(path)]);
      return;
    }
    if (recipe.rowsIntact !== false) expectRows(path, manifest);
    const check = await checkStore(path, { level: "full" });
    expect(check).toMatchObject({ verdict: "healthy" });
    expect(journalModeOf(path)).toBe(recipe.journal ?? "wal");
    if (healed.length > 0) {
      expect(report.backupPath).toBe(listBundles(path)[0]?.path);
      expect(fileHash(report.backupPath ?? "")).toBe(before[basename(path)]);
      expectUse(path);
    }
  });
});

/** A healed store is one that works: old words are found, a new message is written and found. */
function expectUse(path: string): void {
  using store = openStateStore({ path });
  const { hits, complete } = searchMessages(store, "数据库修复", { limit: 500 });
  expect(complete).toBe(true);
  expect(hits.length).toBeGreaterThan(SESSIONS);
  const id = store.sessions.list({ limit: 1 }).sessions[0]?.id ?? "";
  store.messages.append(id, { role: "user", content: "written after the repair zzyzx" });
  expect(searchMessages(store, "zzyzx", {}).hits).toHaveLength(1);
  expect(store.messages.count(id)).toBeGreaterThanOrEqual(MESSAGES_PER_SESSION);
}

describePython("beside a live Python writer", () => {
  let peer: PythonPeer;
  beforeAll(async () => {
    peer = await startPythonPeer();
  });
  afterAll(async () => {
    await peer.stop();
  });

  it.each(RECIPES)("REP-06 REP-08 refuses recipe $number while Python has the file: $title", async (recipe) => {
    using folder = tempDir("held");
    const { path } = await damaged(recipe, folder);
    const size = statSync(path).size;
    const database = await openPeerDatabase(peer, path);
    // It may or may not be able to write; it has the file open, and that is what counts.
    await database.sql("SELECT COUNT(*) AS n FROM messages").catch(() => undefined);
    const before = fileHash(path);
    const report = await applyRepair(path, { space: plenty, lockWaitMs: 0 });
    expect(report).toMatchObject({ repaired: false, reason: "live", backupPath: null });
    expect(report.error).toContain(String(peer.pid));
    expect(fileHash(path)).toBe(before);
    expect(statSync(path).size).toBe(size);
    expect(existsSync(`${path}.repair-attempts.json`)).toBe(false);
    expect(listBundles(path)).toEqual([]);
    await database.close();
  });
});

describePeer("files of real peers", () => {
  const applicable = RECIPES.filter(({ number }) => ["1a", "2c", "3", "6", "8b", "8d"].includes(number));

  it.each(
    ["peer-v22.db", "peer-v26.db", "peer-v30-hybrid.db"].flatMap((file) =>
      applicable.map((recipe) => ({ file, ...recipe })),
    ),
  )("REP-06 REP-07 heals $file with recipe $number and changes no row", async ({ file, number, damage }) => {
    using folder = tempDir("peer");
    const path = copyPeerFile(file, folder);
    chmodSync(path, 0o600);
    const exclude = ["state_meta"];
    const rows = hashRows(path, { exclude });
    await damage(path);
    const report = await applyRepair(path, { space: plenty });
    expect({ number, error: report.error }).toEqual({ number, error: null });
    expect(hashRows(path, { shape: rows.shape, exclude })).toEqual(rows);
    expect((await checkStore(path, { level: "full" })).verdict).toBe("healthy");
  });
});
