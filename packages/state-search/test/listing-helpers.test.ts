import { openStateStore, type StateStore } from "@hermes/state-core";
import { type TempDir, tempDir, testClock } from "@hermes/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  findSessionsById,
  firstAssistantText,
  listCronRuns,
  listSkillSessions,
  listWorkingDirectories,
} from "../src/index.js";
import { tracedStore } from "./helpers/traced-store.js";

const SKILL = '[IMPORTANT: The user has invoked the "review" skill. Follow it.]\n\nRead the diff.';

describe("listing helpers", () => {
  let dir: TempDir;
  let store: StateStore;

  beforeEach(() => {
    dir = tempDir("listing");
    store = openStateStore({ path: dir.file("state.db"), clock: testClock() });
  });

  afterEach(() => {
    store.close();
    dir[Symbol.dispose]();
  });

  const create = (id: string, more: object = {}): unknown => store.sessions.create({ id, source: "cli", ...more });
  const found = (text: string, options = {}): [string, string][] =>
    findSessionsById(store, text, options).map(({ session, rank }) => [session.id, rank]);

  it("SEA-16 finds an exact id behind a hundred newer ids that hold it", () => {
    create("abc", { startedAtSeconds: 1000 });
    create("abc-old", { startedAtSeconds: 1001 });
    for (let n = 0; n < 300; n++) create(`x-${String(n)}-abc`, { startedAtSeconds: 2000 + n });
    expect(found("  ABC ", { limit: 3 })).toEqual([
      ["abc", "exact"],
      ["abc-old", "prefix"],
      ["x-299-abc", "substring"],
    ]);
    expect(found("abc", { limit: 10_000 })).toHaveLength(302);
    expect(found("abc", { limit: 0 })).toEqual([]);
    expect(found(" ")).toEqual([]);
    expect(found("a\0b")).toEqual([]);
    expect(found("%")).toEqual([]);
    expect(found("a_c")).toEqual([]);
  });

  it("SEA-16 shows the conversation of a matched segment once, as its tip", () => {
    create("root-1");
    store.sessions.end("root-1", "compression");
    create("tip-root", { parentSessionId: "root-1" });
    create("worker-root", { source: "subagent", parentSessionId: "tip-root", modelConfig: { _delegate_from: "tip-root" } });
    expect(findSessionsById(store, "root")).toMatchObject([
      { session: { id: "tip-root" }, matchedId: "root-1", rank: "prefix", lineageRootId: "root-1" },
    ]);
    expect(found("worker-root")).toEqual([["worker-root", "exact"]]);
  });

  it("SEA-16 filters ids by source and archive before the limit", () => {
    create("k1");
    create("k2", { source: "cron" });
    create("k3");
    store.sessions.setFlag("k3", "archived", true);
    const ids = (options: object): string[] => found("k", options).map(([id]) => id).sort();
    expect(ids({})).toEqual(["k1", "k2", "k3"]);
    expect(ids({ includeArchived: false })).toEqual(["k1", "k2"]);
    expect(ids({ excludeSources: ["cron"] })).toEqual(["k1", "k3"]);
    expect(ids({ sources: ["cron"], limit: 1 })).toEqual(["k2"]);
    expect(ids({ sources: [] })).toEqual([]);
    expect(() => found("k", { limit: -1 })).toThrow(RangeError);
    expect(() => found("k", { source: "cli" })).toThrow(TypeError);
  });

  it("SEA-16 counts sessions by working directory, children too, archived on request", () => {
    create("a", { cwd: "/srv/a", startedAtSeconds: 100 });
    create("b", { cwd: "/srv/a", startedAtSeconds: 50, parentSessionId: "a" });
    store.sessions.end("b", "done", { atSeconds: 300 });
    create("c", { cwd: "/srv/c", startedAtSeconds: 200 });
    create("d", { cwd: "/srv/d", startedAtSeconds: 400 });
    store.sessions.setFlag("d", "archived", true);
    create("e", { cwd: "  " });
    create("f");
    expect(listWorkingDirectories(store)).toEqual([
      { cwd: "/srv/a", sessions: 2, lastActiveSeconds: 300 },
      { cwd: "/srv/c", sessions: 1, lastActiveSeconds: 200 },
    ]);
    expect(listWorkingDirectories(store, { includeArchived: true })[0]).toEqual(
      { cwd: "/srv/d", sessions: 1, lastActiveSeconds: 400 });
  });

  it("SEA-16 lists the runs of one cron job, newest first", () => {
    create("cron_job1_b", { source: "cron", startedAtSeconds: 10 });
    create("cron_job1_a", { source: "cron", startedAtSeconds: 30 });
    create("cron_job1_c", { source: "cron", startedAtSeconds: 20 });
    create("cron_job10_a", { source: "cron", startedAtSeconds: 40 });
    create("cron_job1_cli", { startedAtSeconds: 50 });
    const ids = (options = {}): string[] => listCronRuns(store, "job1", options).map(({ id }) => id);
    expect(ids()).toEqual(["cron_job1_a", "cron_job1_c", "cron_job1_b"]);
    expect(ids({ limit: 1, offset: 1 })).toEqual(["cron_job1_c"]);
    expect(ids({ limit: 0 })).toEqual([]);
    expect(() => ids({ offset: 0.5 })).toThrow(RangeError);
    expect(() => listCronRuns(store, "")).toThrow(TypeError);
  });

  it("SEA-16 finds cron runs by a range of the index on source and id", () => {
    const traced = tracedStore(store);
    listCronRuns(traced, "job1");
    const plan = store.read((r) =>
      r.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${traced.statements[0]!.sql}`, ["cron_job1_", "cron_job1`", 20, 0]));
    const steps = plan.map(({ detail }) => detail).join("\n");
    expect(steps).toMatch(/SEARCH s USING INDEX idx_sessions_source_id \(source=\? AND id>\? AND id<\?\)/);
    expect(steps).not.toMatch(/SCAN/);
  });

  it("SEA-16 tells the first text of the assistant", () => {
    create("s");
    expect(firstAssistantText(store, "s")).toBe("");
    expect(firstAssistantText(store, "nobody")).toBe("");
    store.messages.append("s", { role: "user", content: "question" });
    store.messages.append("s", { role: "assistant", content: "", toolCalls: [{ id: "1" }] });
    store.messages.append("s", { role: "assistant", content: "secret", displayKind: "hidden" });
    store.messages.append("s", { role: "assistant", content: "answer" });
    store.messages.append("s", { role: "assistant", content: "more" });
    expect(firstAssistantText(store, "s")).toBe("answer");
    create("t");
    store.messages.append("t", { role: "assistant", content: [{ type: "text", text: "parts" }] });
    expect(firstAssistantText(store, "t")).toBe("");
  });

  it("SEA-16 lists titled sessions that a skill began, with the whole body", () => {
    const say = (id: string, content: string): unknown => store.messages.append(id, { role: "user", content });
    create("skill", { title: "Review", startedAtSeconds: 10 });
    say("skill", SKILL);
    create("newer", { title: "Newer", startedAtSeconds: 20 });
    say("newer", SKILL);
    create("untitled");
    say("untitled", SKILL);
    create("later", { title: "Later" });
    say("later", "hello");
    say("later", SKILL);
    expect(listSkillSessions(store)).toEqual([
      { id: "newer", title: "Newer", content: SKILL },
      { id: "skill", title: "Review", content: SKILL },
    ]);
    expect(listSkillSessions(store, { limit: 1 })).toHaveLength(1);
  });

  it("SEA-16 reads while another handle holds the write lock, and from a store that cannot write", () => {
    create("s", { cwd: "/w", title: "T" });
    using reader = openStateStore({ path: store.path, mode: "read" });
    store.write("hold the lock", () => {
      expect(findSessionsById(reader, "s")).toHaveLength(1);
      expect(listWorkingDirectories(reader)).toHaveLength(1);
      expect(listCronRuns(reader, "j")).toEqual([]);
      expect(listSkillSessions(reader)).toEqual([]);
      expect(firstAssistantText(reader, "s")).toBe("");
    });
  });
});
