import { statSync } from "node:fs";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { hasPython, runPython } from "@hermes/testkit";
import { acquireKernelLock, LOCK_SUFFIX, openStateStore } from "../src/index.js";
import type { StateStore } from "../src/index.js";
import { describe, expect, it } from "vitest";
import { checkIndexes } from "./support/dump-store.js";
import { openTestStore, stateErrorOf } from "./support/open-test-store.js";
import type { TestStore } from "./support/open-test-store.js";
import { startWorker } from "./worker.js";
import { wrappedDriver } from "./wrapped-driver.js";

const DAY = 86_400;

/** Messages that fill pages, in ended sessions of that age. */
function fill({ store, clock }: TestStore, sessions: number, daysAgo: number, prefix = "s"): void {
  for (let index = 0; index < sessions; index++) {
    const id = `${prefix}${String(index)}`;
    const at = clock.now() - daysAgo * DAY;
    store.sessions.create({ id, source: "cli", startedAtSeconds: at });
    const message = { role: "tool", content: `${id} ${"word ".repeat(2_000)}`, timestampSeconds: at };
    store.messages.appendBatch(id, [message, message]);
    store.sessions.end(id, "done", { atSeconds: at });
  }
}

function traced(run: () => void): string[] {
  const seen: string[] = [];
  const listener = (message: unknown): void => {
    seen.push((message as { sql: string }).sql);
  };
  subscribe("hermes:state:statement", listener);
  try {
    run();
  } finally {
    unsubscribe("hermes:state:statement", listener);
  }
  return seen;
}

describe("a vacuum", () => {
  it("COR-33 COR-02 gives free pages back, after a PASSIVE checkpoint, and the handle writes on", () => {
    using test = openTestStore();
    const { store } = test;
    fill(test, 30, 100);
    store.retention.prune();
    let report = store.retention.vacuum();
    const statements = traced(() => {
      report = store.retention.vacuum();
    });
    fill(test, 30, 100);
    store.retention.prune();
    const full = store.retention.vacuum();
    expect(full.bytesAfter).toBeLessThan(full.bytesBefore / 2);
    expect(full).toMatchObject({ mergedIndexes: 2, failedIndexes: 0 });
    expect(report.bytesAfter).toBe(full.bytesAfter);
    const vacuum = statements.indexOf("VACUUM");
    expect(statements[vacuum - 1]).toBe("PRAGMA wal_checkpoint(PASSIVE)");
    expect(statements[vacuum + 1]).toBe("PRAGMA wal_checkpoint(PASSIVE)");
    expect(statements.filter((text) => /wal_checkpoint\((?!PASSIVE|NOOP)/.test(text))).toEqual([]);
    // The file itself shrank, and is the same file still.
    expect(statSync(test.path).size).toBe(full.bytesAfter);
    store.sessions.create({ id: "after", source: "cli" });
    store.messages.append("after", { role: "user", content: "still here" });
    checkIndexes(store);
    expect(store.info().generation.inode).toBe(statSync(test.path).ino);
  });

  it("COR-33 COR-11 sizes are pages times their size, whatever the log holds", () => {
    using test = openTestStore();
    fill(test, 10, 1);
    const { bytesBefore, bytesAfter } = test.store.retention.vacuum();
    const pages = test.store.read((r) =>
      r.get<{ n: number }>("SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size"),
    );
    expect(bytesAfter).toBe(pages?.n);
    expect(bytesBefore % 4_096).toBe(0);
  });

  it("COR-33 is refused while another handle of this process has the file open, and can be forced", () => {
    using test = openTestStore();
    const { store } = test;
    store.sessions.list();
    using other = openStateStore({ path: test.path, mode: "read" });
    other.sessions.list();
    const error = stateErrorOf(() => store.retention.vacuum());
    expect(error.code).toBe("STATE_E_STORE_HELD");
    expect(error.facts).toMatchObject({ connections: 1, processes: [] });
    store.retention.vacuum({ force: true });
    other.close();
    store.retention.vacuum();
    expect(() => store.retention.vacuum({ forced: true } as never)).toThrow(TypeError);
  });

  it("COR-33 is refused while another process has the file open", async () => {
    using test = openTestStore();
    await using worker = await startWorker();
    await worker.call("open", { path: test.path });
    const error = stateErrorOf(() => test.store.retention.vacuum());
    expect(error.code).toBe("STATE_E_STORE_HELD");
    expect(error.facts).toMatchObject({ connections: 0, processes: [worker.pid] });
    await worker.call("close");
    test.store.retention.vacuum();
  }, 60_000);

  it.runIf(hasPython())("COR-33 goes on when an index cannot be merged, and neither detaches nor quarantines", () => {
    using test = openTestStore();
    fill(test, 30, 1);
    test.store.close();
    runPython(
      "db = sqlite3.connect(args); db.execute(\"DELETE FROM messages_fts_data WHERE id > 10\"); db.commit(); answer(1)",
      test.path,
    );
    using store = openStateStore({ path: test.path });
    expect(store.retention.vacuum()).toMatchObject({ mergedIndexes: 1, failedIndexes: 1 });
    expect(store.meta.get("fts_stale")).toBeUndefined();
    store.sessions.create({ id: "after", source: "cli" });
  });

  it("COR-33 of a store that is open for reading is refused as any write is", () => {
    using test = openTestStore();
    test.store.close();
    using reader = openStateStore({ path: test.path, mode: "read" });
    expect(stateErrorOf(() => reader.retention.vacuum()).code).toBe("STATE_E_READONLY");
    expect(stateErrorOf(() => test.store.retention.vacuum()).code).toBe("STATE_E_CLOSED");
  });
});

function metaOf(store: StateStore): (string | null | undefined)[] {
  return ["last_auto_prune", "last_vacuum", "last_auto_archive"].map((key) => store.meta.get(key));
}

describe("automatic maintenance", () => {
  it("COR-33 prunes what is beyond its time and compacts a sparse file, then rests for a day", () => {
    using test = openTestStore();
    const { store, clock } = test;
    fill(test, 30, 91);
    fill(test, 5, 1, "kept");
    const first = store.retention.autoMaintain();
    expect(first).toMatchObject({ skipped: undefined, error: undefined, pruned: 30, closed: 0, vacuumed: true });
    expect(first.freelistRatio).toBeGreaterThan(0.25);
    expect(store.sessions.count()).toBe(5);
    const now = String(clock.now());
    expect(metaOf(store)).toEqual([now, now, undefined]);
    const nothing = { error: undefined, pruned: 0, closed: 0, vacuumed: false, freelistRatio: undefined };
    expect(store.retention.autoMaintain()).toEqual({ skipped: "not-due", ...nothing });
    clock.advance(24 * 3_600_000 - 1);
    expect(store.retention.autoMaintain().skipped).toBe("not-due");
    clock.advance(1);
    expect(store.retention.autoMaintain()).toEqual({ skipped: undefined, ...nothing });
    expect(metaOf(store)[0]).toBe(String(clock.now()));
  });

  it("COR-33 leaves a dense file alone, and one that was compacted within a month", () => {
    using test = openTestStore();
    const { store, clock } = test;
    fill(test, 40, 1, "kept");
    fill(test, 2, 91);
    expect(store.retention.autoMaintain()).toMatchObject({ pruned: 2, vacuumed: false });
    expect(metaOf(store)[1]).toBeUndefined();
    fill(test, 60, 91);
    store.meta.set("last_vacuum", String(clock.now()));
    clock.advance(29 * DAY * 1_000);
    expect(store.retention.autoMaintain({ retentionDays: 90 })).toMatchObject({ pruned: 60, vacuumed: false });
    fill(test, 60, 91);
    clock.advance(DAY * 1_000);
    expect(store.retention.autoMaintain()).toMatchObject({ pruned: 60, vacuumed: true });
  });

  it("COR-33 does not compact while another handle has the file open", () => {
    using test = openTestStore();
    fill(test, 30, 91);
    using other = openStateStore({ path: test.path, mode: "read" });
    other.sessions.list();
    expect(test.store.retention.autoMaintain()).toMatchObject({ pruned: 30, vacuumed: false, error: undefined });
  });

  it("COR-33 takes an unreadable or future moment of the last run for none", () => {
    for (const last of ["", "yesterday", "NaN", "9e99"]) {
      using test = openTestStore();
      test.store.meta.set("last_auto_prune", last);
      expect(test.store.retention.autoMaintain().skipped, last).toBeUndefined();
    }
    using test = openTestStore();
    test.store.meta.set("last_auto_prune", `${String(test.clock.now() - 10)}.25`);
    expect(test.store.retention.autoMaintain().skipped).toBe("not-due");
  });

  it("COR-33 closes what forgetful programs left open, never messengers' sessions; they stay for another period", () => {
    using test = openTestStore();
    const { store, clock } = test;
    const startedAtSeconds = clock.now() - 100 * DAY;
    const open = (id: string, source: string): void => {
      store.sessions.create({ id, source, startedAtSeconds });
    };
    const forgetful = ["cli", "cron", "kanban", "acp", "api_server", "subagent", "tool", "recovered"];
    for (const source of forgetful) open(source, source);
    for (const source of ["telegram", "tui"]) open(source, source);
    for (const id of ["pinned", "used", "young"]) open(id, "cli");
    store.sessions.setFlag("pinned", "pinned", true);
    store.sessions.touch("young");
    store.leases.acquire("turn", "used", { holder: `pid=${String(process.pid)}:tid=1:agent=ab:nonce=00000000` });
    expect(store.retention.autoMaintain()).toMatchObject({ closed: forgetful.length, pruned: 0 });
    for (const id of forgetful) {
      expect(store.sessions.get(id)).toMatchObject({ endReason: "startup_orphan_reap", endedAtSeconds: clock.now() });
    }
    const left = ["telegram", "tui", "pinned", "used", "young"];
    expect(left.map((id) => store.sessions.get(id).endReason)).toEqual(left.map(() => null));
    clock.advance(91 * DAY * 1_000);
    expect(store.retention.autoMaintain({ retentionDays: 92 })).toMatchObject({ pruned: 0 });
    clock.advance(2 * DAY * 1_000);
    expect(store.retention.autoMaintain({ retentionDays: 92 })).toMatchObject({ pruned: forgetful.length });
  });

  it("COR-33 keeps what was archived by hand, and lets go what was archived for being idle", () => {
    using test = openTestStore();
    const { store } = test;
    fill(test, 2, 100);
    store.sessions.setFlag("s0", "archived", true);
    expect(store.retention.autoArchive()).toEqual({ skipped: undefined, error: undefined, archived: 1 });
    expect(store.retention.autoArchive()).toEqual({ skipped: "not-due", error: undefined, archived: 0 });
    expect(store.retention.autoMaintain()).toMatchObject({ pruned: 1 });
    expect(store.sessions.list({ archived: "include" }).sessions.map((row) => row.id)).toEqual(["s0"]);
  });

  it("COR-33 never fails: what went wrong is reported, and tried again at the next run", () => {
    using test = openTestStore();
    fill(test, 30, 91);
    test.store.close();
    let refuse = "VACUUM";
    const driver = wrappedDriver("refusing", {
      running: (text) => {
        if (text === refuse) throw Object.assign(new Error("disk full"), { code: "SQLITE_FULL" });
      },
    });
    using store = openStateStore({ path: test.path, clock: test.clock, driver });
    const failed = store.retention.autoMaintain();
    expect(failed).toMatchObject({ skipped: undefined, pruned: 30, vacuumed: false });
    expect(failed.error?.code).toBe("STATE_E_DISK_FULL");
    expect(metaOf(store)).toEqual([String(test.clock.now()), undefined, undefined]);
    refuse = "BEGIN IMMEDIATE";
    test.clock.advance(DAY * 1_000);
    expect(store.retention.autoMaintain().error?.code).toBe("STATE_E_DISK_FULL");
    refuse = "";
    expect(store.retention.autoMaintain()).toMatchObject({ skipped: undefined, error: undefined });
  });

  it("COR-33 skips when another holder of the lock maintains the store, or when it may not write", () => {
    using test = openTestStore();
    const { store, clock } = test;
    const lock = acquireKernelLock(test.path + LOCK_SUFFIX.autoMaintenance, 0, clock);
    if (lock.kind !== "acquired") throw new Error("no lock");
    expect(store.retention.autoMaintain().skipped).toBe("locked");
    expect(store.retention.autoArchive().skipped).toBe("locked");
    lock.release();
    using reader = openStateStore({ path: test.path, mode: "read" });
    expect(reader.retention.autoMaintain().skipped).toBe("readonly");
    expect(store.retention.autoMaintain().skipped).toBeUndefined();
    expect(clock.sleeps).toEqual([]);
  });

  it("COR-33 of two processes at once one runs", async () => {
    using test = openTestStore();
    fill(test, 20, 91);
    await using one = await startWorker();
    await using two = await startWorker();
    const workers = [one, two];
    for (const worker of workers) await worker.call("open", { path: test.path });
    const reports = await Promise.all(
      workers.map((worker) => worker.call<{ skipped?: string; pruned: number }>("autoMaintain")),
    );
    expect(reports.filter(({ skipped }) => skipped === undefined)).toHaveLength(1);
    expect(reports.map(({ pruned }) => pruned).sort()).toEqual([0, 20]);
    expect(test.store.sessions.count()).toBe(0);
  }, 60_000);

  it("COR-33 refuses an impossible policy", () => {
    using test = openTestStore();
    const { retention } = test.store;
    expect(() => retention.autoMaintain({ days: 5 } as never)).toThrow(TypeError);
    expect(() => retention.autoMaintain({ retentionDays: "90" } as never)).toThrow(TypeError);
    expect(() => retention.autoMaintain({ retentionDays: -1 })).toThrow(RangeError);
    expect(() => retention.autoArchive({ idleDays: -1 })).toThrow(RangeError);
    expect(() => retention.autoArchive({ idle: 1 } as never)).toThrow(TypeError);
  });
});
