import { describe, expect, it } from "vitest";
import { openTestStore, sql, stateErrorOf } from "../../test/support/open-test-store.js";
import { openStateStore } from "../index.js";
import { profileOfPath } from "./profile-of-path.js";
import type { SessionFields } from "./session-fields.js";

const ROUTING = {
  userId: "u1",
  sessionKey: "agent:main:telegram:dm:u1",
  chatId: "c1",
  chatType: "dm",
  threadId: "t1",
  displayName: "Ü",
  originJson: '{"a": 1}',
};
const PLACE = { cwd: "/w", gitBranch: "main", gitRepoRoot: "/w", profileName: "work" };

describe("create", () => {
  it("COR-20 stores every field and gives it back, the prompt by its address", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    const fields: SessionFields = {
      ...ROUTING,
      ...PLACE,
      id: "s1",
      source: "telegram",
      model: "m",
      modelConfig: { a: 1, nested: { b: "大" } },
      systemPrompt: "You are 大.",
      startedAtSeconds: 12.5,
      transportProfile: "x",
      toolNames: ["read", "write"],
      title: "  Orchid\twork ",
    };
    const created = sessions.create(fields);
    expect(created).toEqual(sessions.get("s1"));
    expect(created).toMatchObject({ ...fields, title: "Orchid work", titleSource: "user", createdSource: "telegram" });
    expect(created.damaged).toEqual([]);
    const row = test.store.read((r) =>
      r.get("SELECT system_prompt, model_config, prompt FROM sessions JOIN system_prompts ON hash = system_prompt_hash"),
    );
    expect(row).toEqual({
      system_prompt: null,
      model_config: '{"a": 1, "nested": {"b": "\\u5927"}}',
      prompt: "You are 大.",
    });
  });

  it("COR-20 two sessions share one prompt row", () => {
    using test = openTestStore();
    for (const id of ["a", "b"]) test.store.sessions.create({ id, source: "cli", systemPrompt: "same" });
    expect(test.store.read((r) => r.all("SELECT hash FROM system_prompts"))).toHaveLength(1);
  });

  it("COR-20 makes ids from the moment and random digits, starts now, and leaves the rest empty", () => {
    using test = openTestStore();
    const session = test.store.sessions.create({ source: "cli" });
    expect(session.id).toMatch(/^20231114_221320_[0-9a-f]{8}$/);
    const empty = { model: null, modelConfig: null, systemPrompt: null, toolNames: null, title: null };
    expect(session).toMatchObject({ ...empty, startedAtSeconds: test.clock.now(), messageCount: 0, archived: false });
  });

  it("COR-20 refuses an id that exists, a parent that does not, and a moment that is none", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.create({ id: "s1", source: "cli" });
    expect(stateErrorOf(() => sessions.create({ id: "s1", source: "cli" })).code).toBe("STATE_E_SESSION_EXISTS");
    const orphan = stateErrorOf(() => sessions.create({ id: "s2", source: "cli", parentSessionId: "nope" }));
    expect(orphan.code).toBe("STATE_E_PARENT_NOT_FOUND");
    expect(orphan.facts).toEqual({ sessionId: "s2", parentSessionId: "nope" });
    expect(stateErrorOf(() => sessions.create({ id: "s2", source: "cli", parentSessionId: "s2" })).code).toBe(
      "STATE_E_PARENT_NOT_FOUND",
    );
    expect(stateErrorOf(() => sessions.create({ source: "cli", startedAtSeconds: 5e246 })).code).toBe(
      "STATE_E_BAD_TIMESTAMP",
    );
    expect(sessions.count({ includeChildren: true })).toBe(1);
  });

  it.each<[unknown]>([
    [{}],
    [{ source: "" }],
    [{ source: 5 }],
    [{ source: "cli", id: "" }],
    [{ source: "cli", modle: "m" }],
    [{ source: "cli", model: 5 }],
    [{ source: "cli", modelConfig: [] }],
    [{ source: "cli", toolNames: "x" }],
    [null],
  ])("COR-20 refuses misuse: %j", (fields) => {
    using test = openTestStore();
    expect(() => test.store.sessions.create(fields as SessionFields)).toThrow(TypeError);
    expect(test.store.sessions.count({ includeChildren: true })).toBe(0);
  });

  it("COR-20 a title that is taken undoes the whole creation", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.create({ id: "a", source: "cli", title: "orchid" });
    const error = stateErrorOf(() => sessions.create({ id: "b", source: "cli", title: "orchid", systemPrompt: "p" }));
    expect(error.code).toBe("STATE_E_TITLE_TAKEN");
    expect(error.facts).toMatchObject({ holderId: "a" });
    expect(sessions.find("b")).toBeUndefined();
    expect(test.store.read((r) => r.all("SELECT hash FROM system_prompts"))).toEqual([]);
  });
});

describe("inheritance", () => {
  it("P16 COR-20 a continuation inherits who talks, other children only where they work", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.create({ ...ROUTING, ...PLACE, id: "parent", source: "telegram" });
    const delegate = { id: "delegate", source: "subagent", parentSessionId: "parent" };
    const early = sessions.create({ ...delegate, modelConfig: { _delegate_from: "parent" } });
    expect(early).toMatchObject({ ...PLACE, sessionKey: null, userId: null, chatId: null, originJson: null });
    sessions.end("parent", "compression");
    const next = sessions.create({ id: "next", source: "telegram", parentSessionId: "parent", cwd: "/elsewhere" });
    expect(next).toMatchObject({ ...ROUTING, ...PLACE, cwd: "/elsewhere" });
  });

  it("COR-20 a profile does not cross from one agent's keys to another's", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.create({ ...ROUTING, ...PLACE, id: "parent", source: "telegram" });
    const other = sessions.create({
      id: "other",
      source: "telegram",
      parentSessionId: "parent",
      sessionKey: "agent:second:telegram:dm:u1",
    });
    expect(other).toMatchObject({ cwd: "/w", profileName: null });
  });

  it("COR-20 the profile comes from where the store lies", () => {
    expect(profileOfPath("/home/x/.hermes/profiles/work-1/state.db")).toBe("work-1");
    expect(profileOfPath("/home/x/.hermes/profiles/Not A Name/state.db")).toBeNull();
    expect(profileOfPath("/somewhere/else/state.db")).toBeNull();
  });
});

describe("ensure", () => {
  it("COR-20 fills only what is empty: the first writer of a field wins", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.ensure({ id: "s1", source: "cli", model: "first", startedAtSeconds: 5 });
    const filled = sessions.ensure({
      id: "s1",
      source: "telegram",
      model: "second",
      cwd: "/w",
      systemPrompt: "p",
      modelConfig: { a: 1 },
      toolNames: ["x"],
      title: "t",
      startedAtSeconds: 9,
    });
    const wanted = { source: "cli", createdSource: "cli", model: "first", cwd: "/w", systemPrompt: "p", title: "t" };
    expect(filled).toMatchObject({ ...wanted, startedAtSeconds: 5, modelConfig: { a: 1 }, toolNames: ["x"] });
    const again = sessions.ensure({
      id: "s1",
      source: "x",
      cwd: "/other",
      systemPrompt: "other",
      modelConfig: { b: 2 },
      toolNames: ["y"],
      title: "u",
    });
    expect(again).toEqual(filled);
    expect(test.store.read((r) => r.all("SELECT hash FROM system_prompts"))).toHaveLength(1);
  });

  it("COR-20 a placeholder source gives way to a real one, once", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.ensure({ id: "s1", source: "unknown" });
    expect(sessions.ensure({ id: "s1", source: "cli" })).toMatchObject({ source: "cli", createdSource: "cli" });
    expect(sessions.ensure({ id: "s1", source: "telegram" })).toMatchObject({ source: "cli", createdSource: "cli" });
    expect(sessions.ensure({ id: "s1", source: "unknown" }).source).toBe("cli");
  });

  it("COR-20 a bare reset marker joins the config that arrives; any other config stays as it is", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.create({ id: "old", source: "cli" });
    sessions.create({ id: "s1", source: "cli", parentSessionId: "old", modelConfig: { _reset_from: "old" } });
    const config = sessions.ensure({ id: "s1", source: "cli", modelConfig: { a: 1 } }).modelConfig;
    expect(config).toEqual({ _reset_from: "old", a: 1 });
    expect(sessions.ensure({ id: "s1", source: "cli", modelConfig: { b: 2 } }).modelConfig).toEqual(config);
  });

  it("COR-20 an inline prompt of an old file counts as a prompt", () => {
    using test = openTestStore();
    test.store.sessions.create({ id: "s1", source: "cli" });
    sql(test.store, "UPDATE sessions SET system_prompt = 'inline' WHERE id = 's1'");
    expect(test.store.sessions.ensure({ id: "s1", source: "cli", systemPrompt: "new" }).systemPrompt).toBe("inline");
  });
});

describe("end, reopen, reset", () => {
  it("COR-20 the first reason wins, across handles; an unknown id is no error", () => {
    using test = openTestStore();
    using other = openStateStore({ path: test.path });
    const { sessions } = test.store;
    sessions.create({ id: "s1", source: "cli" });
    expect(sessions.end("s1", "compression", { atSeconds: 50 })).toBe(true);
    expect(other.sessions.end("s1", "user_exit")).toBe(false);
    expect(other.sessions.get("s1")).toMatchObject({ endReason: "compression", endedAtSeconds: 50 });
    expect(sessions.end("nope", "x")).toBe(false);
    expect(sessions.reopen("s1")).toBe(true);
    expect(sessions.reopen("s1")).toBe(false);
    expect(sessions.get("s1")).toMatchObject({ endReason: null, endedAtSeconds: null });
  });

  it("COR-20 a reset restamps a live session and an accident, and nothing else", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    for (const id of ["live", "accident", "deliberate"]) sessions.create({ id, source: "cli" });
    sessions.end("accident", "agent_close");
    sessions.end("deliberate", "user_exit");
    expect(sessions.promoteToReset("live")).toBe(true);
    expect(sessions.promoteToReset("accident", "daily")).toBe(true);
    expect(sessions.promoteToReset("deliberate")).toBe(false);
    expect(sessions.promoteToReset("nope")).toBe(false);
    expect(["live", "accident", "deliberate"].map((id) => sessions.get(id).endReason)).toEqual([
      "session_reset",
      "daily",
      "user_exit",
    ]);
    expect(() => sessions.promoteToReset("live", "user_exit")).toThrow(TypeError);
  });

  it("COR-20 every reset of a keyed session begins the next generation of its peer, once", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    for (const id of ["a", "b", "c"]) sessions.create({ id, source: "telegram", sessionKey: "k" });
    sessions.create({ id: "keyless", source: "telegram" });
    const generation = (): unknown =>
      test.store.read((r) => r.all("SELECT source, session_key, generation FROM conversation_generations"));
    sessions.end("a", "user_exit");
    sessions.end("keyless", "session_reset");
    expect(generation()).toEqual([]);
    sessions.end("b", "session_reset");
    sessions.end("b", "daily");
    sessions.promoteToReset("c", "idle");
    expect(generation()).toEqual([{ source: "telegram", session_key: "k", generation: 2 }]);
  });

  it("COR-20 reopening marks the children that only the parent's end told apart", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.create({ id: "old", source: "cli", startedAtSeconds: 10 });
    sessions.end("old", "session_reset", { atSeconds: 20 });
    sessions.create({ id: "new", source: "cli", parentSessionId: "old", startedAtSeconds: 21, modelConfig: { a: 1 } });
    sessions.create({ id: "earlier", source: "cli", parentSessionId: "old", startedAtSeconds: 15 });
    const ids = (): string[] => sessions.list().sessions.map((row) => row.id);
    expect(ids()).toEqual(["new", "old"]);
    sessions.reopen("old");
    expect(sessions.get("new").modelConfig).toEqual({ a: 1, _reset_from: "old" });
    expect(sessions.get("earlier").modelConfig).toBeNull();
    expect(ids()).toEqual(["new", "old"]);
  });
});

describe("resolve", () => {
  it("COR-20 tries the id, the beginning of one, the title; wildcards are literal", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    for (const id of ["100%_x", "100a", "abc_1", "abc_12", "abcd"]) sessions.create({ id, source: "cli" });
    test.store.titles.set("abcd", "abc");
    expect(sessions.resolve("abc_1")).toEqual({ kind: "session", sessionId: "abc_1", via: "id" });
    expect(sessions.resolve("100%")).toEqual({ kind: "session", sessionId: "100%_x", via: "prefix" });
    expect(sessions.resolve("abc_")).toEqual({ kind: "ambiguous", candidates: ["abc_1", "abc_12"] });
    expect(sessions.resolve("abc")).toEqual({ kind: "session", sessionId: "abcd", via: "title" });
    for (const text of ["%", "_bc", "nope", "abcd\0x"]) expect(sessions.resolve(text)).toEqual({ kind: "none" });
    expect(() => sessions.resolve("")).toThrow(TypeError);
  });

  it("COR-20 get throws by code where find answers with nothing", () => {
    using test = openTestStore();
    expect(test.store.sessions.find("nope")).toBeUndefined();
    expect(stateErrorOf(() => test.store.sessions.get("nope")).code).toBe("STATE_E_SESSION_NOT_FOUND");
  });
});

describe("updates", () => {
  it("COR-20 the config is merged by key, whatever it held", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.create({ id: "s1", source: "cli", modelConfig: { _branched_from: "p", a: 1 } });
    expect(sessions.updateConfig("s1", { a: null, b: 2 })).toEqual({ _branched_from: "p", b: 2 });
    sql(test.store, "UPDATE sessions SET model_config = '[broken' WHERE id = 's1'");
    expect(sessions.get("s1")).toMatchObject({ modelConfig: undefined, damaged: ["modelConfig"] });
    expect(sessions.updateConfig("s1", { c: 3 })).toEqual({ c: 3 });
    expect(stateErrorOf(() => sessions.updateConfig("nope", {})).code).toBe("STATE_E_SESSION_NOT_FOUND");
  });

  it("COR-20 a model switch drops the lock on the old one and its prompt, and keeps the markers", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    const modelConfig = { _branched_from: "p", browser_model_lock: { model: "a" } };
    sessions.create({ id: "s1", source: "cli", model: "a", systemPrompt: "own", modelConfig });
    sessions.create({ id: "s2", source: "cli", systemPrompt: "shared" });
    sessions.create({ id: "s3", source: "cli", systemPrompt: "shared" });
    sessions.updateModel("s1", "b");
    sessions.updateModel("s2", "b");
    expect(sessions.get("s1")).toMatchObject({ model: "b", systemPrompt: null, modelConfig: { _branched_from: "p" } });
    const prompts = test.store.read((r) => r.all("SELECT prompt FROM system_prompts"));
    expect(prompts).toEqual([{ prompt: "shared" }]);
  });

  it("COR-20 every move of the folder is a new generation; empty git facts keep the old ones", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.create({ id: "s1", source: "cli", cwd: "/a", gitBranch: "main" });
    expect(sessions.updateCwd("s1", "/b")).toBe(1);
    expect(sessions.updateCwd("s1", "/c", { gitBranch: "", gitRepoRoot: "/c" })).toBe(2);
    expect(sessions.get("s1")).toMatchObject({ cwd: "/c", gitBranch: "main", gitRepoRoot: "/c" });
  });

  it("COR-20 activity never moves backwards, and a bad stored moment does not stop it", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.create({ id: "s1", source: "cli" });
    expect(sessions.touch("s1", { atSeconds: 100, description: "x".repeat(130) })).toBe(true);
    expect(sessions.touch("s1", { atSeconds: 50, description: "late" })).toBe(false);
    expect(sessions.touch("nope")).toBe(false);
    const row = sessions.get("s1");
    expect(row).toMatchObject({ lastActivityAtSeconds: 100, lastActivityProvenance: "unknown" });
    expect(row.lastActivityDescription).toBe(`${"x".repeat(119)}…`);
    sql(test.store, "UPDATE sessions SET last_activity_at = 5e246 WHERE id = 's1'");
    expect(sessions.touch("s1")).toBe(true);
    expect(sessions.get("s1").lastActivityAtSeconds).toBe(test.clock.now());
  });
});
