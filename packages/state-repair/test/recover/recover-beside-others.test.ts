import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import {
  childEnvironment,
  describePython,
  fileHash,
  openPeerDatabase,
  startPythonPeer,
  tempDir,
} from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recoverStore } from "../../src/index.js";
import { childScript } from "../children/child-script.js";
import { makeSampleStore, readRows } from "./sample-store.js";

let folder: TempDir;
let source: string;
let output: string;
beforeEach(() => {
  folder = tempDir("beside");
  source = folder.file("state.db");
  output = folder.file("out.db");
});
afterEach(() => {
  folder[Symbol.dispose]();
});

describePython("a live Python writer", () => {
  it("P02 REP-08 REP-09 is a reason to refuse: nothing is written, and the writer goes on", async () => {
    makeSampleStore(source, { sessions: 2, messages: 5 });
    await using peer = await startPythonPeer();
    const database = await openPeerDatabase(peer, source);
    const writing = database.appendMany("20260101_000000_0000", 30, "live", 5);
    await writing.started;
    await expect(recoverStore({ source, output, allowPartial: true })).rejects.toMatchObject({
      code: "STATE_E_STORE_HELD",
    });
    expect(await writing.done).toHaveLength(30);
    expect(readdirSync(folder.path).filter((name) => !name.startsWith("state.db"))).toEqual([]);
    await database.close();
  });

  it("P22 REP-09 recovers committed rows of a writer that was killed, from its log", async () => {
    makeSampleStore(source, { sessions: 1, messages: 4 });
    const peer = await startPythonPeer();
    const database = await openPeerDatabase(peer, source);
    await database.sql("PRAGMA wal_autocheckpoint=0");
    await database.appendMany("20260101_000000_0000", 30, "stranded").done;
    peer.kill();
    await peer.stop();
    expect(existsSync(`${source}-wal`)).toBe(true);
    const before = [fileHash(source), fileHash(`${source}-wal`)];
    const report = await recoverStore({ source, output });
    expect(report).toMatchObject({ status: "complete", counts: { messages: 34 } });
    expect(report.sourceBundle.map(({ name }) => name.replace(source, ""))).toEqual(["", "-wal", "-shm"]);
    expect([fileHash(source), fileHash(`${source}-wal`)]).toEqual(before);
  });
});

describe("REP-09 beside changes", () => {
  it("REP-09 refuses a source that changes while it is copied", async () => {
    makeSampleStore(source, { sessions: 2, messages: 20 });
    copyFileSync(source, folder.file("copy.db"));
    let written = false;
    const run = recoverStore({
      source,
      output,
      onProgress: ({ phase }) => {
        if (phase !== "copy" || written) return;
        written = true;
        writeFileSync(`${source}-journal`, "appeared");
      },
    });
    await expect(run).rejects.toMatchObject({ code: "STATE_E_SOURCE_CHANGED" });
    expect(readdirSync(folder.path).sort()).toEqual(["copy.db", "state.db", "state.db-journal"]);
  });

  it("REP-09 fails its verification when the source changed afterwards, and puts no output in place", async () => {
    makeSampleStore(source, { sessions: 2, messages: 20 });
    let written = false;
    const report = await recoverStore({
      source,
      output,
      onProgress: ({ phase }) => {
        if (phase !== "messages" || written) return;
        written = true;
        writeFileSync(`${source}-journal`, "appeared");
      },
    });
    expect(report).toMatchObject({ status: "failed", sourceUnchanged: false, verified: false });
    expect(existsSync(output)).toBe(false);
  });

  it("REP-09 rolls a hot journal back in the copy: what was not committed is not recovered", async () => {
    makeSampleStore(source, { sessions: 2, messages: 20 });
    const script = `
      const Database = require("better-sqlite3");
      const db = new Database(process.argv[1]);
      db.pragma("journal_mode=DELETE");
      db.pragma("cache_size=2");
      db.pragma("cache_spill=ON");
      db.exec("BEGIN IMMEDIATE");
      db.exec("UPDATE messages SET content = 'uncommitted ' || content");
      process.kill(process.pid, "SIGKILL");`;
    const before = readRows(source, "messages", "id");
    spawnSync(process.execPath, ["-e", script, source], { timeout: 30_000, env: childEnvironment() });
    expect(existsSync(`${source}-journal`)).toBe(true);
    const journal = fileHash(`${source}-journal`);
    const report = await recoverStore({ source, output });
    expect(report.status).toBe("complete");
    expect(readRows(output, "messages", "id")).toEqual(before);
    expect(fileHash(`${source}-journal`)).toBe(journal);
  });
});

describe("REP-09 after a kill", () => {
  it.each(["copy", "messages", "search index"])(
    "REP-09 leaves no output when it is killed during %s, and the next run starts clean",
    async (phase) => {
      makeSampleStore(source, { sessions: 4, messages: 20 });
      const run = spawnSync(process.execPath, [childScript("recover.mjs"), source, output, phase], {
        timeout: 60_000,
        encoding: "utf8",
        env: childEnvironment(),
      });
      expect([run.signal, run.stderr]).toEqual(["SIGKILL", ""]);
      expect(readdirSync(folder.path).some((name) => name.startsWith("hermes-session-recovery-"))).toBe(true);
      expect(readdirSync(folder.path).filter((name) => name.startsWith("out.db"))).toEqual([]);
      const report = await recoverStore({ source, output });
      expect(report).toMatchObject({ status: "complete", counts: { messages: 80 } });
      expect(readdirSync(folder.path).sort()).toEqual(["out.db", "out.db.recovery.json", "state.db"]);
      const database = new Database(output);
      expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
      database.close();
    },
  );
});
