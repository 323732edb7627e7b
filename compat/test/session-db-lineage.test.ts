import { describe, expect, it } from "vitest";
import { CompressionSessionBusyError } from "../src/hermes-state/index.js";
import { SessionDB } from "../src/session-db/index.js";
import { codeOf, openSessionDb } from "./support/open-session-db.js";

const SUMMARY = { role: "user", content: "what happened so far" };

/** root to middle to tip by compression, a branch of the tip, a delegate of the root. */
function lineage(db: SessionDB): void {
  db.createSession("root", "cli");
  db.appendMessage("root", "user", "one");
  for (const [parentSessionId, childSessionId] of [
    ["root", "middle"],
    ["middle", "tip"],
  ] as const) {
    db.publishCompressionChild({
      parentSessionId,
      childSessionId,
      source: "cli",
      messages: [{ ...SUMMARY, content: `before ${childSessionId}` }],
      requireCompressionLease: false,
    });
  }
  db.createSession("branch", "cli", { parentSessionId: "tip", modelConfig: { _branched_from: "tip" } });
}

describe("the lineages of the one-object store", () => {
  it("CPT-01 walks a conversation from every segment to its tip, its chain and its root", () => {
    using test = openSessionDb();
    lineage(test.db);
    for (const id of ["root", "middle", "tip"]) {
      expect(test.db.getCompressionTip(id)).toBe("tip");
      expect(test.db.getCompressionLineage(id)).toEqual(["root", "middle", "tip"]);
      expect(test.db.resolveResumeSessionId(id)).toBe("tip");
    }
    expect(test.db.getConversationRoot("branch")).toBe("root");
    expect(test.db.getCompressionLineage("branch")).toEqual(["branch"]);
    expect(test.db.findLiveCompressionChild("middle")).toBe("tip");
    expect(test.db.findLiveCompressionChild("root")).toBeNull();
    expect(test.db.findLiveCompressionChild("tip")).toBeNull();
  });

  it("CPT-01 gives an unknown id back where the old store did", () => {
    using test = openSessionDb();
    const { db } = test;
    expect(db.getCompressionTip("no")).toBe("no");
    expect(db.getCompressionLineage("no")).toEqual(["no"]);
    expect(db.getConversationRoot("no")).toBe("no");
    expect(db.resolveResumeSessionId("no")).toBe("no");
    expect(db.findLiveCompressionChild("no")).toBeNull();
    expect(db.reopenOrphanedCompressionSession("no")).toBe(false);
    expect(db.getAncestorDisplayPrefix("no")).toEqual([]);
    expect(db.finalizeOrphanedCompressionSessions()).toBe(0);
  });

  it("CPT-01 shows what stands above a segment, and nothing of the segment", () => {
    using test = openSessionDb();
    lineage(test.db);
    test.db.appendMessage("tip", "user", "and now");
    const said = test.db.getAncestorDisplayPrefix("tip").map((message) => message.content);
    expect(said).toEqual(["one", "before middle"]);
    const [model, display] = test.db.getResumeConversations("tip");
    expect(display.slice(0, said.length).map((message) => message.content)).toEqual(said);
    expect(display.at(-1)?.content).toBe("and now");
    expect(model.map((message) => message.role)).toEqual(["user"]);
    expect(test.db.getAncestorDisplayPrefix("root")).toEqual([]);
  });

  it("CPT-01 reopens a session that a compaction closed without a continuation, and no other", () => {
    using test = openSessionDb();
    lineage(test.db);
    test.db.createSession("lost", "cli");
    test.db.endSession("lost", "compression");
    expect(test.db.reopenOrphanedCompressionSession("middle")).toBe(false);
    expect(test.db.reopenOrphanedCompressionSession("lost")).toBe(true);
    expect(test.db.getSession("lost")?.endReason).toBeNull();
    expect(test.db.reopenOrphanedCompressionSession("lost")).toBe(false);
  });

  it("CPT-01 ends a continuation that nobody went on with for seven days", () => {
    using test = openSessionDb();
    lineage(test.db);
    expect(test.db.finalizeOrphanedCompressionSessions()).toBe(0);
    test.clock.advance(8 * 86_400_000);
    expect(test.db.finalizeOrphanedCompressionSessions()).toBe(1);
    expect(test.db.getSession("tip")?.endReason).toBe("orphaned_compression");
    expect(test.db.finalizeOrphanedCompressionSessions()).toBe(0);
  });
});

describe("the compactions of the one-object store", () => {
  it("CPT-01 publishes a continuation under the lease, with the parent's place and peer", () => {
    using test = openSessionDb();
    const { db } = test;
    db.createSession("p", "telegram", { cwd: "/srv/a", sessionKey: "k", userId: "u" });
    const child = { parentSessionId: "p", childSessionId: "c", source: "telegram", messages: [SUMMARY] };
    const holder = db.store.leases.newHolder();
    expect(codeOf(() => db.publishCompressionChild({ ...child, compressionLockHolder: holder }))).toBe(
      "STATE_E_COMPRESSION_BUSY",
    );
    expect(db.getSession("c")).toBeNull();
    expect(db.tryAcquireCompressionLock("p", holder)).toBe(true);
    const given = { ...child, modelConfig: '{"temperature": 0.5}', systemPrompt: "be brief", model: null };
    expect(db.publishCompressionChild({ ...given, compressionLockHolder: holder })).toBe("c");
    expect(db.getSession("p")?.endReason).toBe("compression");
    expect(db.getSession("c")).toMatchObject({
      cwd: "/srv/a",
      sessionKey: "k",
      userId: "u",
      modelConfig: { temperature: 0.5 },
      systemPrompt: "be brief",
      messageCount: 1,
    });
    expect(codeOf(() => db.publishCompressionChild({ ...given, requireCompressionLease: false }))).toBe(
      "STATE_E_COMPRESSION_CLOSED",
    );
  });

  it("CPT-01 leaves everything as it was when a continuation cannot be published", () => {
    using test = openSessionDb();
    const { db } = test;
    db.createSession("p", "cli");
    const child = { parentSessionId: "p", childSessionId: "c", source: "cli", requireCompressionLease: false };
    expect(() => db.publishCompressionChild({ ...child, messages: [] })).toThrow(TypeError);
    expect(() => db.publishCompressionChild({ ...child, messages: "x" as never })).toThrow(TypeError);
    expect(() => db.publishCompressionChild({ ...child, messages: [SUMMARY], modelConfig: "{" })).toThrow(TypeError);
    expect(() => db.publishCompressionChild({ ...child, messages: [SUMMARY], sourcee: "x" } as never)).toThrow(
      TypeError,
    );
    expect(() => db.publishCompressionChild({ ...child, messages: [SUMMARY], requireCompressionLease: true })).toThrow(
      TypeError,
    );
    expect(codeOf(() => db.publishCompressionChild({ ...child, parentSessionId: "no", messages: [SUMMARY] }))).toBe(
      "STATE_E_SESSION_NOT_FOUND",
    );
    expect(db.getSession("p")?.endReason).toBeNull();
    expect(db.getSession("c")).toBeNull();
  });

  it("CPT-01 of two claimants one has the lock, until it is given back or its time is over", () => {
    using test = openSessionDb();
    const { db, clock } = test;
    expect(db.tryAcquireCompressionLock("s", "agent-a")).toBe(true);
    expect(db.tryAcquireCompressionLock("s", "agent-b")).toBe(false);
    expect(db.tryAcquireCompressionLock("s", "agent-a", 60)).toBe(true);
    expect(db.getCompressionLockHolder("s")).toBe("agent-a");
    clock.advance(200_000);
    expect(db.refreshCompressionLock("s", "agent-a", 300)).toBe(true);
    expect(db.refreshCompressionLock("s", "agent-b", 300)).toBe(false);
    clock.advance(299_000);
    expect(db.getCompressionLockHolder("s")).toBe("agent-a");
    clock.advance(2_000);
    expect(db.getCompressionLockHolder("s")).toBeNull();
    expect(db.tryAcquireCompressionLock("s", "agent-b")).toBe(true);
    expect(db.releaseCompressionLock("s", "agent-a")).toBe(false);
    expect(db.releaseCompressionLock("s", "agent-b")).toBe(true);
    expect(db.releaseCompressionLock("s", "agent-b")).toBe(false);
    expect(() => db.tryAcquireCompressionLock("s", "")).toThrow(TypeError);
    expect(() => db.tryAcquireCompressionLock("s", "agent-a", -1)).toThrow(RangeError);
  });

  it("CPT-01 whoever cannot claim does not compact: a store for reading, a closed one", () => {
    using test = openSessionDb();
    using reader = new SessionDB(test.path, { readOnly: true });
    expect(reader.tryAcquireCompressionLock("s", "agent-a")).toBe(false);
    reader.close();
    expect(reader.tryAcquireCompressionLock("s", "agent-a")).toBe(false);
    expect(test.db.getCompressionLockHolder("s")).toBeNull();
  });

  it("CPT-01 keeps the later deadline of two failures, forgets both, and tells no deadline that is over", () => {
    using test = openSessionDb();
    const { db, clock } = test;
    db.createSession("s", "cli");
    const now = clock.now();
    expect(db.getCompressionFailureCooldown("s")).toBeNull();
    db.recordCompressionFailureCooldown("s", now + 60, "model is down");
    db.recordCompressionFailureCooldown("s", now + 30, "again");
    expect(db.getCompressionFailureCooldown("s")).toEqual({ cooldownUntil: now + 60, error: "again" });
    clock.advance(61_000);
    expect(db.getCompressionFailureCooldown("s")).toBeNull();
    expect(db.getCompressionFailureCooldownRow("s")).toEqual({ cooldownUntil: now + 60, error: "again" });
    expect(db.clearCompressionFailureCooldown("s")).toBe(true);
    expect(db.clearCompressionFailureCooldown("s")).toBe(false);
    expect(db.getCompressionFailureCooldownRow("s")).toEqual({ cooldownUntil: null, error: null });
    expect(codeOf(() => db.recordCompressionFailureCooldown("s", Number.NaN, "x"))).toBe("STATE_E_BAD_TIMESTAMP");
  });

  it.each(["camel", "peer"] as const)("CPT-10 puts a snapshot back, spelled %s, and nothing else with it", (rows) => {
    using test = openSessionDb({ rows });
    const { db, clock } = test;
    db.createSession("s", "cli");
    db.recordCompressionFailureCooldown("s", clock.now() + 60, "first");
    const snapshot = db.getCompressionFailureCooldownRow("s");
    expect(Object.keys(snapshot ?? {})).toEqual([rows === "peer" ? "cooldown_until" : "cooldownUntil", "error"]);
    db.clearCompressionFailureCooldown("s");
    db.setCompressionFallbackStreak("s", 4);
    db.restoreCompressionFailureCooldownRow("s", snapshot!);
    expect(db.getCompressionFailureCooldownRow("s")).toEqual(snapshot);
    expect(db.getCompressionFallbackStreak("s")).toBe(4);
    expect(codeOf(() => db.restoreCompressionFailureCooldownRow("no", snapshot!))).toBe("STATE_E_SESSION_NOT_FOUND");
  });

  it("CPT-01 an unknown session has no cooldown and no streaks, and setting them is no error", () => {
    using test = openSessionDb();
    const { db } = test;
    db.recordCompressionFailureCooldown("no", 5, "x");
    db.setCompressionFallbackStreak("no", 2);
    db.setCompressionIneffectiveCount("no", 2);
    expect(db.getCompressionFailureCooldown("no")).toBeNull();
    expect(db.getCompressionFailureCooldownRow("no")).toBeNull();
    expect(db.clearCompressionFailureCooldown("no")).toBe(false);
    expect(db.getCompressionFallbackStreak("no")).toBe(0);
    expect(db.getCompressionIneffectiveCount("no")).toBe(0);
    db.createSession("s", "cli");
    db.setCompressionIneffectiveCount("s", 3);
    expect(db.getCompressionIneffectiveCount("s")).toBe(3);
    expect(() => db.setCompressionFallbackStreak("s", -1)).toThrow(TypeError);
  });

  it("CPT-02 an error of the parts is one of the class the old module had for it", () => {
    using test = openSessionDb();
    test.db.createSession("p", "cli");
    const child = { parentSessionId: "p", childSessionId: "c", source: "cli", messages: [SUMMARY] };
    expect(() => test.db.publishCompressionChild({ ...child, compressionLockHolder: "x" })).toThrow(
      CompressionSessionBusyError,
    );
  });
});
