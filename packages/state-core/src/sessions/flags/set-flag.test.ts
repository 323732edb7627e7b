import { describe, expect, it } from "vitest";
import { failAtEveryStatement } from "../../../test/support/every-statement.js";
import { openTestStore, sql } from "../../../test/support/open-test-store.js";
import type { TestStore } from "../../../test/support/open-test-store.js";
import type { SessionFlag, StateStore } from "../../index.js";

const SEGMENTS = ["root", "mid", "tip"];
const OTHERS = ["branch", "delegate", "reset", "tool", "stranger"];

/** A conversation of three segments, and what hangs on it without belonging to it. */
function lay({ sessions }: StateStore): void {
  sessions.create({ id: "root", source: "cli" });
  sessions.end("root", "compression");
  sessions.create({ id: "mid", source: "cli", parentSessionId: "root" });
  sessions.end("mid", "compression");
  sessions.create({ id: "tip", source: "cli", parentSessionId: "mid" });
  for (const marker of ["_branched_from", "_delegate_from", "_reset_from"]) {
    const id = OTHERS[["_branched_from", "_delegate_from", "_reset_from"].indexOf(marker)] ?? "";
    sessions.create({ id, source: "cli", parentSessionId: "root", modelConfig: { [marker]: "root" } });
  }
  sessions.create({ id: "tool", source: "tool", parentSessionId: "mid" });
  sessions.create({ id: "stranger", source: "cli" });
}

function laidOut(): TestStore {
  const test = openTestStore();
  lay(test.store);
  return test;
}

function flags(test: TestStore, key: "archived" | "pinned" | "hidden" | "lastReadAtSeconds", ids: string[]): unknown[] {
  return ids.map((id) => test.store.sessions.get(id)[key]);
}

describe("setFlag", () => {
  it.each<[SessionFlag, string]>(
    (["archived", "pinned", "hidden"] as const).flatMap((flag) => SEGMENTS.map((id): [SessionFlag, string] => [flag, id])),
  )("COR-30 sets %s, asked for on %s, on every segment and on nothing else", (flag, id) => {
    using test = laidOut();
    expect(test.store.sessions.setFlag(id, flag, true)).toBe(true);
    expect(flags(test, flag, SEGMENTS)).toEqual([true, true, true]);
    expect(flags(test, flag, OTHERS)).toEqual([false, false, false, false, false]);
    expect(test.store.sessions.setFlag("mid", flag, false)).toBe(true);
    expect(flags(test, flag, SEGMENTS)).toEqual([false, false, false]);
  });

  it("COR-30 on a branch or a delegate stays there", () => {
    using test = laidOut();
    test.store.sessions.setFlag("branch", "archived", true);
    test.store.sessions.setFlag("delegate", "archived", true);
    expect(flags(test, "archived", [...SEGMENTS, "branch", "delegate"])).toEqual([false, false, false, true, true]);
  });

  it("COR-30 tells whether there is such a session, and refuses misuse", () => {
    using test = laidOut();
    const { sessions } = test.store;
    expect([sessions.setFlag("nope", "pinned", true), sessions.markRead("nope")]).toEqual([false, false]);
    expect(() => sessions.setFlag("root", "starred" as SessionFlag, true)).toThrow(TypeError);
    expect(() => sessions.setFlag("root", "pinned", 1 as unknown as boolean)).toThrow(TypeError);
  });

  it("COR-30 ends on a ring of segments", () => {
    using test = laidOut();
    sql(test.store, "UPDATE sessions SET parent_session_id = 'tip' WHERE id = 'root'");
    sql(test.store, "UPDATE sessions SET end_reason = 'compression', ended_at = 1 WHERE id = 'tip'");
    expect(test.store.sessions.setFlag("mid", "pinned", true)).toBe(true);
    expect(flags(test, "pinned", SEGMENTS)).toEqual([true, true, true]);
  });

  it("COR-30 pinning shows what was hidden, unpinning hides nothing", () => {
    using test = laidOut();
    const { sessions } = test.store;
    sessions.setFlag("root", "hidden", true);
    sessions.setFlag("tip", "pinned", true);
    expect(flags(test, "hidden", SEGMENTS)).toEqual([false, false, false]);
    sessions.setFlag("tip", "hidden", true);
    sessions.setFlag("tip", "pinned", false);
    expect(flags(test, "hidden", SEGMENTS)).toEqual([true, true, true]);
  });

  it("COR-30 pinning does not show the conversation that the gateway keeps hidden", () => {
    using test = laidOut();
    test.store.titles.set("tip", "Bot Chat");
    test.store.sessions.setFlag("root", "hidden", true);
    test.store.sessions.setFlag("root", "pinned", true);
    expect(flags(test, "hidden", SEGMENTS)).toEqual([true, true, true]);
  });

  it("COR-30 hidden drops out of lists and counts alike, stands in the archive, and is found by id", () => {
    using test = laidOut();
    const { sessions } = test.store;
    const shown = (): string[] => sessions.list().sessions.map((session) => session.id);
    const before = sessions.count();
    sessions.setFlag("tip", "hidden", true);
    expect(shown()).not.toContain("tip");
    expect([sessions.count(), shown().length]).toEqual([before - 1, before - 1]);
    expect(sessions.count({ hidden: "include" })).toBe(before);
    expect(sessions.resolve("tip")).toMatchObject({ sessionId: "tip" });
    sessions.setFlag("root", "archived", true);
    expect(sessions.list({ archived: "only" }).sessions.map((session) => session.id)).toEqual(["tip"]);
    expect(sessions.count({ archived: "only" })).toBe(1);
  });

  it("COR-30 a failure leaves every segment as it was", () => {
    using after = failAtEveryStatement({ lay, act: ({ sessions }) => sessions.setFlag("mid", "pinned", true) });
    expect(after.statements).toBe(3);
    expect(after.store.sessions.get("root").pinned).toBe(true);
  });
});

describe("markRead", () => {
  it("COR-30 marks every segment, now or at a moment; zero is unread", () => {
    using test = laidOut();
    const { sessions, messages } = test.store;
    const unread = (): unknown => sessions.list().sessions.find((session) => session.id === "tip")?.unread;
    expect(unread()).toBe(false);
    expect(sessions.markRead("mid", 5)).toBe(true);
    expect(flags(test, "lastReadAtSeconds", SEGMENTS)).toEqual([5, 5, 5]);
    expect(flags(test, "lastReadAtSeconds", OTHERS)).toEqual([null, null, null, null, null]);
    messages.append("tip", { role: "user", content: "x", timestampSeconds: test.clock.now() });
    expect(unread()).toBe(true);
    sessions.markRead("tip");
    expect(unread()).toBe(false);
    sessions.markRead("tip", 0);
    expect([unread(), ...flags(test, "lastReadAtSeconds", ["root"])]).toEqual([true, 0]);
    expect(() => sessions.markRead("tip", Number.NaN)).toThrow();
  });
});

describe("what goes on", () => {
  it("COR-30 a continuation takes over the flags of its conversation, a branch does not", () => {
    using test = laidOut();
    const { sessions } = test.store;
    for (const flag of ["archived", "pinned"] as const) sessions.setFlag("root", flag, true);
    sessions.setFlag("root", "hidden", true);
    sessions.markRead("root", 7);
    sessions.end("tip", "compression");
    const fields = { source: "cli", parentSessionId: "tip" };
    expect(sessions.create({ ...fields, id: "next" })).toMatchObject({
      archived: true,
      pinned: true,
      hidden: true,
      lastReadAtSeconds: 7,
    });
    const branch = sessions.create({ ...fields, id: "fork", modelConfig: { _branched_from: "tip" } });
    expect(branch).toMatchObject({ archived: false, pinned: false, hidden: false, lastReadAtSeconds: null });
    sessions.ensure({ id: "bare", source: "cli" });
    expect(sessions.ensure({ ...fields, id: "bare" })).toMatchObject({ pinned: true });
  });

  it("COR-30 a continuation brings back what the sweep had archived, and not what somebody archived", () => {
    using test = laidOut();
    const { sessions } = test.store;
    sessions.setFlag("root", "archived", true);
    sql(test.store, "UPDATE sessions SET auto_archived = 1 WHERE archived = 1");
    sessions.end("tip", "compression");
    sessions.create({ id: "next", source: "cli", parentSessionId: "tip" });
    for (const id of [...SEGMENTS, "next"]) expect(sessions.get(id)).toMatchObject({ archived: false, autoArchived: false });
    sql(test.store, "UPDATE sessions SET auto_archived = 1, archived = 1 WHERE id IN ('root', 'mid', 'tip', 'next')");
    sessions.setFlag("mid", "archived", true);
    sessions.end("next", "compression");
    sessions.create({ id: "last", source: "cli", parentSessionId: "next" });
    expect(sessions.get("last")).toMatchObject({ archived: true, autoArchived: false });
  });

  it("COR-30 an accident is undone with the archive, a deliberate end is not", () => {
    using test = laidOut();
    const { sessions } = test.store;
    sessions.end("tip", "agent_close");
    expect(sessions.unarchiveRecoverable("root")).toBe(false);
    expect(sessions.get("tip").endReason).toBe("agent_close");
    sessions.setFlag("root", "archived", true);
    expect(sessions.unarchiveRecoverable("root")).toBe(true);
    expect(flags(test, "archived", SEGMENTS)).toEqual([false, false, false]);
    expect(sessions.get("tip")).toMatchObject({ endReason: null, endedAtSeconds: null });
    sessions.end("tip", "user_exit");
    sessions.setFlag("root", "archived", true);
    expect(sessions.unarchiveRecoverable("root")).toBe(false);
    expect(flags(test, "archived", SEGMENTS)).toEqual([true, true, true]);
    expect(sessions.unarchiveRecoverable("nope")).toBe(false);
  });

  it("COR-30 a failure while it comes back leaves it archived and ended", () => {
    using after = failAtEveryStatement({
      lay: (store) => {
        lay(store);
        store.sessions.end("tip", "agent_close");
        store.sessions.setFlag("tip", "archived", true);
      },
      act: ({ sessions }) => {
        if (!sessions.unarchiveRecoverable("mid")) throw new Error("not brought back");
      },
    });
    expect(after.store.sessions.get("tip")).toMatchObject({ archived: false, endReason: null });
  });

  it("COR-30 a failure while a continuation is made leaves the swept conversation archived", () => {
    using after = failAtEveryStatement({
      lay: (store) => {
        lay(store);
        store.sessions.end("tip", "compression");
        sql(store, "UPDATE sessions SET archived = 1, auto_archived = 1 WHERE end_reason = 'compression'");
      },
      act: ({ sessions }) => sessions.create({ id: "next", source: "cli", parentSessionId: "tip" }),
    });
    expect(after.store.sessions.get("root").archived).toBe(false);
  });
});
