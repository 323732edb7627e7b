import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeOf, openSessionDb } from "./support/open-session-db.js";
import type { TestDb } from "./support/open-session-db.js";

const DAY_MS = 86_400_000;
const ids = (rows: readonly { readonly id: string }[]): string[] => rows.map((row) => row.id);

function ended(test: TestDb, id: string, source = "cli", messages = 1): void {
  test.db.createSession(id, source);
  for (let left = messages; left > 0; left--) test.db.appendMessage(id, "user", "x");
  test.db.endSession(id, "done");
}

/** The transcript of a session beside the store, and whether it is there. */
function transcript(test: TestDb, id: string): () => boolean {
  const path = join(dirname(test.path), `${id}.jsonl`);
  writeFileSync(path, "{}\n");
  return () => existsSync(path);
}

describe("deleting from the one-object store", () => {
  it("CPT-01 takes the delegates along, and nothing where something else than expected would go", () => {
    using test = openSessionDb();
    const { db } = test;
    ended(test, "s1");
    db.createSession("d1", "cli", { parentSessionId: "s1", modelConfig: { _delegate_from: "s1" } });
    expect(db.getSessionDeleteTargets("s1")).toEqual(["s1", "d1"]);
    expect(db.getSessionDeleteTargets("none")).toEqual([]);
    expect(db.deleteSession("s1", null, ["s1"])).toBe(false);
    expect(db.deleteSession("s1", { expectedDeleteIds: ["d1", "s1"] })).toBe(true);
    expect([db.getSession("s1"), db.getSession("d1"), db.deleteSession("s1")]).toEqual([null, null, false]);
    expect(() => db.deleteSession("s1", { dir: "x" } as never)).toThrow(TypeError);
  });

  it("CPT-01 takes the whole conversation where that is asked for, and the files of what went", () => {
    using test = openSessionDb();
    const { db } = test;
    db.createSession("root", "cli");
    db.endSession("root", "compression");
    db.createSession("tip", "cli", { parentSessionId: "root" });
    ended(test, "other");
    const [own, kept] = [transcript(test, "tip"), transcript(test, "other")];
    expect(db.deleteSessions(["tip", "tip", "none"], dirname(test.path), true)).toBe(1);
    expect([db.getSession("root"), own(), kept()]).toEqual([null, false, true]);
    expect(db.deleteSessions(["other"], { sessionsDir: dirname(test.path) })).toBe(1);
    expect(kept()).toBe(false);
    expect(() => db.deleteSessions("s1" as never, 5 as never)).toThrow(TypeError);
  });

  it("CPT-01 refuses while somebody works with a session", () => {
    using test = openSessionDb();
    ended(test, "s1");
    test.db.tryAcquireCompressionLock("s1", "somebody");
    expect(codeOf(() => test.db.deleteSession("s1"))).toBe("STATE_E_SESSION_IN_USE");
  });

  it("CPT-01 takes empty sessions with their files, and ghosts of the terminal interface after a day", () => {
    using test = openSessionDb();
    const { db } = test;
    for (const id of ["e1", "e2", "e3"]) ended(test, id, "cli", 0);
    ended(test, "full");
    ended(test, "ghost", "tui", 0);
    ended(test, "titled", "tui", 0);
    db.setSessionTitle("titled", "Kept");
    const files = ["e1", "e2", "full", "ghost"].map((id) => transcript(test, id));
    const folder = dirname(test.path);
    expect([db.deleteSessionIfEmpty("full", folder), db.deleteSessionIfEmpty("none", folder)]).toEqual([false, false]);
    expect(db.deleteSessionIfEmpty("e1", folder)).toBe(true);
    expect(db.pruneEmptyGhostSessions(folder)).toBe(0);
    test.clock.advance(DAY_MS + 1_000);
    expect(db.pruneEmptyGhostSessions(folder)).toBe(1);
    expect(db.countEmptySessions()).toBe(3);
    expect(db.deleteEmptySessions(folder)).toBe(3);
    expect(files.map((isThere) => isThere())).toEqual([false, false, true, false]);
    expect(db.getSession("full")).not.toBeNull();
  });
});

describe("pruning and archiving in the one-object store", () => {
  it("CPT-01 prunes what it lists as candidates, after 90 days by default", () => {
    using test = openSessionDb({ rows: "peer" });
    const { db } = test;
    ended(test, "old");
    test.clock.advance(1_000);
    ended(test, "chat", "telegram");
    test.clock.advance(91 * DAY_MS);
    ended(test, "new");
    const file = transcript(test, "old");
    expect(db.listPruneCandidates()[0]).toMatchObject({ id: "old", message_count: 1 });
    expect(ids(db.listPruneCandidates(30, "telegram"))).toEqual(["chat"]);
    expect(ids(db.listPruneCandidates({ olderThanDays: null, source: "cli" }))).toEqual(["old", "new"]);
    expect(db.pruneSessions(90, "cli", dirname(test.path))).toBe(1);
    expect([db.getSession("old"), file(), db.pruneSessions({ source: "cli" })]).toEqual([null, false, 0]);
    expect(db.pruneSessions(30, { minMessages: 1, titleLike: null })).toBe(1);
    expect(ids(db.listSessionsRich())).toEqual(["new"]);
  });

  it("CPT-01 knows every filter of the old program, and refuses any other and a negative age", () => {
    using test = openSessionDb();
    const { db } = test;
    ended(test, "s1");
    const now = test.clock.now();
    const met = { lastActiveBefore: now + 1, startedAfter: now - 1, endReason: "done", minMessages: 1, maxMessages: 1 };
    const zero = { maxTokens: 0, maxCost: 0, maxToolCalls: 0, minTokens: 0, minCost: 0, minToolCalls: 0 };
    expect(ids(db.listPruneCandidates(null, "cli", { ...met, ...zero }))).toEqual(["s1"]);
    for (const unmet of [
      { modelLike: "x" },
      { branchLike: "x" },
      { cwdPrefix: "/" },
      { userId: "u" },
      { chatId: "c" },
    ]) {
      expect(db.listPruneCandidates({ olderThanDays: null, ...unmet })).toEqual([]);
    }
    expect(() => db.listPruneCandidates({ older: 1 } as never)).toThrow(TypeError);
    expect(() => db.pruneSessions({ olderThanDays: 1, achived: true } as never)).toThrow(TypeError);
    expect(() => db.pruneSessions(1, { archived: "yes" as never })).toThrow(TypeError);
    expect(() => db.pruneSessions(-1)).toThrow(RangeError);
    expect(() => db.archiveSessions()).toThrow(TypeError);
  });

  it("CPT-01 archives by age or filter, and leaves archived ones alone afterwards unless they are asked for", () => {
    using test = openSessionDb();
    const { db } = test;
    ended(test, "s1");
    test.clock.advance(100 * DAY_MS);
    expect(db.archiveSessions(30)).toBe(1);
    expect([db.archiveSessions(30), db.pruneSessions(30)]).toEqual([0, 0]);
    expect(db.pruneSessions(30, { archived: null })).toBe(1);
  });

  it("CPT-01 archives idle conversations, pinned ones only on request", () => {
    using test = openSessionDb();
    const { db } = test;
    for (const id of ["idle", "pinned"]) {
      db.createSession(id, "cli");
      db.appendMessage(id, "user", "x");
    }
    db.setSessionPinned("pinned", true);
    test.clock.advance(5 * DAY_MS);
    expect([db.archiveStaleSessions(-1), db.archiveStaleSessions(null), db.archiveStaleSessions(9)]).toEqual([0, 0, 0]);
    expect([db.archiveStaleSessions(3), db.archiveStaleSessions(3)]).toEqual([1, 0]);
    expect(db.archiveStaleSessions(3, { excludePinned: false })).toBe(1);
    expect(() => db.archiveStaleSessions(3, { pinned: true } as never)).toThrow(TypeError);
  });
});

describe("maintenance of the one-object store", () => {
  it("CPT-01 prunes and archives once per interval, and says what it did", () => {
    using test = openSessionDb({ rows: "peer" });
    const { db } = test;
    ended(test, "old");
    test.clock.advance(91 * DAY_MS);
    const done = db.maybeAutoPruneAndVacuum({ vacuum: false, minVacuumIntervalDays: 1 });
    expect(done).toMatchObject({
      skipped: false,
      pruned: 1,
      closed: 0,
      vacuumed: false,
      freelist_ratio: expect.any(Number) as number,
    });
    expect(db.maybeAutoPruneAndVacuum(90, 24)).toMatchObject({ skipped: true, pruned: 0 });
    db.createSession("idle", "cli");
    db.setSessionPinned("idle", true);
    test.clock.advance(4 * DAY_MS);
    expect(db.maybeAutoArchive()).toEqual({ skipped: false, archived: 0 });
    expect(db.maybeAutoArchive(3, 24, false)).toEqual({ skipped: true, archived: 0 });
    test.clock.advance(DAY_MS);
    expect(db.maybeAutoArchive(3, 24, false)).toEqual({ skipped: false, archived: 1 });
    expect(() => db.maybeAutoPruneAndVacuum({ retentionDays: -1 })).toThrow(RangeError);
    expect(() => db.maybeAutoArchive({ days: 1 } as never)).toThrow(TypeError);
  });

  it("CPT-01 cleans markers, and vacuums", () => {
    using test = openSessionDb();
    const { db } = test;
    db.createSession("s1", "cli");
    const calls = [{ id: "c1", type: "function", function: { name: "ls", arguments: "{}" } }];
    const id = db.appendMessage("s1", "assistant", "[ls]", { toolCalls: calls });
    expect(db.purgeStaleToolCallMarkers({ dryRun: true })).toEqual({ dryRun: true, messageIds: [id], backup: null });
    const done = db.purgeStaleToolCallMarkers();
    expect([done.messageIds, existsSync(done.backup ?? "")]).toEqual([[id], true]);
    expect(db.purgeStaleToolCallMarkers({ backup: false }).messageIds).toEqual([]);
    const before = db.logicalSizeBytes();
    expect(before % 512).toBe(0);
    expect(db.vacuum()).toBe(2);
    expect(db.logicalSizeBytes()).toBeLessThanOrEqual(before);
  });
});
