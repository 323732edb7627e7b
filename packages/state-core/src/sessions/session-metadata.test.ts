import { describe, expect, it } from "vitest";
import { failAtEveryStatement } from "../../test/support/every-statement.js";
import { openTestStore, sql, stateErrorOf } from "../../test/support/open-test-store.js";
import { openStateStore } from "../index.js";
import type { StateStore } from "../index.js";

function prompts(store: StateStore): unknown[] {
  return store.read((r) => r.all<{ prompt: string }>("SELECT prompt FROM system_prompts ORDER BY prompt")).map((row) => row.prompt);
}

/** Changes with every commit of another connection, and with nothing else. */
function dataVersion(store: StateStore): unknown {
  return store.read((r) => r.get("PRAGMA data_version"));
}

describe("updateModel", () => {
  it("T2 COR-32 leaves what was queued with the old model, and drops lock and prompt but no lineage marker", () => {
    using test = openTestStore();
    const { sessions, usage } = test.store;
    sessions.create({ id: "parent", source: "cli" });
    sessions.create({
      id: "s1",
      source: "cli",
      model: "a",
      parentSessionId: "parent",
      systemPrompt: "for a",
      modelConfig: { _branched_from: "parent", browser_model_lock: { model: "a" } },
    });
    usage.queue("s1", { inputTokens: 10, model: "a", billingProvider: "pa" });
    sessions.updateModel("s1", "b");
    expect(usage.queueState().waiting).toBe(0);
    expect(usage.byModel("s1")).toMatchObject([{ model: "a", billingProvider: "pa", inputTokens: 10 }]);
    expect(sessions.get("s1")).toMatchObject({
      model: "b",
      modelConfig: { _branched_from: "parent" },
      systemPrompt: null,
      systemPromptHash: null,
      inputTokens: 10,
    });
    expect(prompts(test.store)).toEqual([]);
    expect(stateErrorOf(() => sessions.updateModel("nope", "b")).code).toBe("STATE_E_SESSION_NOT_FOUND");
  });

  it("T2 COR-32 keeps a prompt that another session uses", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    for (const id of ["s1", "s2"]) sessions.create({ id, source: "cli", systemPrompt: "shared" });
    sessions.updateModel("s1", "b");
    expect([prompts(test.store), sessions.get("s2").systemPrompt]).toEqual([["shared"], "shared"]);
  });

  it("T2 COR-32 a failure leaves model, prompt and config as they were", () => {
    using after = failAtEveryStatement({
      lay: ({ sessions }) =>
        sessions.create({ id: "s1", source: "cli", model: "a", systemPrompt: "p", modelConfig: { browser_model_lock: {} } }),
      act: ({ sessions }) => {
        sessions.updateModel("s1", "b");
      },
    });
    expect(after.store.sessions.get("s1")).toMatchObject({ model: "b", modelConfig: null, systemPrompt: null });
  });
});

describe("prompt and tools", () => {
  it("COR-20 a prompt is replaced, shared and deleted with its last user", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    for (const id of ["s1", "s2"]) sessions.create({ id, source: "cli", systemPrompt: "old" });
    sessions.updateSystemPrompt("s1", "new \ud800");
    expect([sessions.get("s1").systemPrompt, prompts(test.store)]).toEqual(["new \ufffd", ["new \ufffd", "old"]]);
    sessions.updateSystemPrompt("s2", "new \ufffd");
    expect(prompts(test.store)).toEqual(["new \ufffd"]);
    sessions.updateSystemPrompt("s2", "new \ufffd");
    sessions.updateSystemPrompt("s1", null);
    expect([sessions.get("s1").systemPrompt, sessions.get("s2").systemPrompt]).toEqual([null, "new \ufffd"]);
    sql(test.store, "UPDATE sessions SET system_prompt = 'inline', system_prompt_hash = NULL WHERE id = 's1'");
    sessions.updateSystemPrompt("s1", null);
    expect(sessions.get("s1").systemPrompt).toBeNull();
    expect(stateErrorOf(() => sessions.updateSystemPrompt("no", "x")).code).toBe("STATE_E_SESSION_NOT_FOUND");
    expect(prompts(test.store)).toEqual(["new \ufffd"]);
  });

  it("COR-20 a list of tools replaces one that a newer peer stored by its address", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.create({ id: "s1", source: "cli" });
    sql(test.store, "INSERT INTO system_prompts VALUES ('hash', '[\"read\"]')");
    sql(test.store, "UPDATE sessions SET tool_names = 'hash'");
    expect(sessions.get("s1").toolNames).toEqual(["read"]);
    sessions.updateToolNames("s1", ["write", "ü"]);
    expect([sessions.get("s1").toolNames, prompts(test.store)]).toEqual([["write", "ü"], []]);
    sessions.updateToolNames("s1", null);
    expect(sessions.get("s1").toolNames).toBeNull();
    expect(() => sessions.updateToolNames("s1", "x" as unknown as string[])).toThrow(TypeError);
    expect(stateErrorOf(() => sessions.updateToolNames("no", [])).code).toBe("STATE_E_SESSION_NOT_FOUND");
  });

  it.each([
    ["prompt", ({ sessions }: StateStore) => sessions.updateSystemPrompt("s1", "new")],
    ["tools", ({ sessions }: StateStore) => sessions.updateToolNames("s1", ["new"])],
  ] as const)("COR-20 a failure leaves the %s as it was", (_, act) => {
    using after = failAtEveryStatement({
      lay: ({ sessions }) => sessions.create({ id: "s1", source: "cli", systemPrompt: "old", toolNames: ["old"] }),
      act,
    });
    expect(after.statements).toBeGreaterThanOrEqual(5);
  });
});

describe("billing", () => {
  it("COR-32 is replaced without conditions, a mode that is not given stays, and what was queued is not drawn along", () => {
    using test = openTestStore();
    const { sessions, usage } = test.store;
    sessions.create({ id: "s1", source: "cli", model: "m" });
    usage.record("s1", { inputTokens: 1, billingProvider: "p1", billingBaseUrl: "u1", billingMode: "api" });
    usage.queue("s1", { inputTokens: 2 });
    sessions.updateBillingRoute("s1", { billingProvider: "p2", billingBaseUrl: null });
    expect(sessions.get("s1")).toMatchObject({ billingProvider: "p2", billingBaseUrl: null, billingMode: "api" });
    expect(usage.byModel("s1")).toMatchObject([{ billingProvider: "p1", inputTokens: 3 }]);
    sessions.updateBillingRoute("s1", { billingProvider: "p2", billingBaseUrl: "u2", billingMode: "plan" });
    usage.record("s1", { inputTokens: 5 });
    expect(usage.byModel("s1")[1]).toMatchObject({ billingProvider: "p2", billingBaseUrl: "u2", billingMode: "plan" });
    const route = { billingProvider: "p", billingBaseUrl: "u" };
    expect(stateErrorOf(() => sessions.updateBillingRoute("no", route)).code).toBe("STATE_E_SESSION_NOT_FOUND");
    expect(() => sessions.updateBillingRoute("s1", { ...route, mode: "x" } as never)).toThrow(TypeError);
  });
});

describe("config", () => {
  it("COR-20 yolo mode is kept beside the lineage markers; a config that cannot be read means no", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.create({ id: "p", source: "cli" });
    sessions.create({ id: "s1", source: "cli", parentSessionId: "p", modelConfig: { _branched_from: "p" } });
    expect(sessions.isYolo("s1")).toBe(false);
    sessions.setYolo("s1", true);
    expect([sessions.isYolo("s1"), sessions.get("s1").modelConfig]).toEqual([true, { _branched_from: "p", yolo_mode: true }]);
    sessions.setYolo("s1", false);
    expect(sessions.isYolo("s1")).toBe(false);
    sql(test.store, "UPDATE sessions SET model_config = '{broken'");
    expect(sessions.isYolo("s1")).toBe(false);
    for (const call of [() => sessions.isYolo("no"), () => sessions.setYolo("no", true)]) {
      expect(stateErrorOf(call).code).toBe("STATE_E_SESSION_NOT_FOUND");
    }
    expect(() => sessions.setYolo("s1", "on" as unknown as boolean)).toThrow(TypeError);
  });
});

describe("place", () => {
  it("T3 COR-20 an answer about an earlier stay in the same folder is stale", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.create({ id: "s1", source: "cli" });
    const [g1, , g3] = ["/a", "/b", "/a"].map((cwd) => sessions.updateCwd("s1", cwd));
    const probe = { cwd: "/a", gitBranch: "main", gitRepoRoot: "/a" };
    expect(sessions.publishGit("s1", { ...probe, generation: g1 ?? -1 })).toBe(false);
    expect(sessions.get("s1").gitBranch).toBeNull();
    expect(sessions.publishGit("s1", { ...probe, cwd: "/b", generation: g3 ?? -1 })).toBe(false);
    expect(sessions.publishGit("s1", { ...probe, generation: g3 ?? -1 })).toBe(true);
    expect(sessions.get("s1")).toMatchObject({ cwd: "/a", gitBranch: "main", gitRepoRoot: "/a" });
    expect(sessions.publishGit("s1", { cwd: "/a", generation: g3 ?? -1, gitBranch: null, gitRepoRoot: null })).toBe(true);
    expect(sessions.get("s1")).toMatchObject({ gitBranch: null, gitRepoRoot: null });
    expect(() => sessions.publishGit("s1", { ...probe, generation: 1.5 })).toThrow(TypeError);
  });

  it("COR-20 fills in repositories where there is none, by folder", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.create({ id: "none", source: "cli", cwd: "/a/x" });
    sessions.create({ id: "empty", source: "cli", cwd: "/a/x" });
    sql(test.store, "UPDATE sessions SET git_repo_root = '' WHERE id = 'empty'");
    sessions.create({ id: "known", source: "cli", cwd: "/a/x", gitRepoRoot: "/other" });
    sessions.create({ id: "elsewhere", source: "cli", cwd: "/a/X" });
    sessions.create({ id: "odd", source: "cli", cwd: "/__proto__" });
    const roots = new Map([["/a/x", "/a"], ["/__proto__", "/odd"], ["__proto__", "/never"]]);
    expect(sessions.backfillRepoRoots(roots)).toBe(3);
    const of = (id: string): unknown => sessions.get(id).gitRepoRoot;
    expect(["none", "empty", "known", "elsewhere", "odd"].map(of)).toEqual(["/a", "/a", "/other", null, "/odd"]);
    expect([sessions.backfillRepoRoots(roots), sessions.backfillRepoRoots(new Map())]).toEqual([0, 0]);
  });

  it("COR-36 sessions of a board's workers are tagged once per folder, by either separator", () => {
    using test = openTestStore();
    const { sessions, meta } = test.store;
    for (const [id, cwd] of [["at", "/w"], ["below", "/w/x"], ["windows", "/w\\x"], ["beside", "/w2"], ["case", "/W/x"]]) {
      sessions.create({ id: String(id), source: "cli", cwd: String(cwd) });
    }
    sessions.create({ id: "chat", source: "telegram", cwd: "/w/x" });
    expect(sessions.retagWorkers("/w")).toBe(3);
    const of = (id: string): unknown => sessions.get(id).source;
    expect(["at", "below", "windows"].map(of)).toEqual(["kanban", "kanban", "kanban"]);
    expect(["beside", "case", "chat"].map(of)).toEqual(["cli", "cli", "telegram"]);
    expect(meta.get("kanban_worker_source_retagged:/w")).toBe("1");
    sessions.create({ id: "later", source: "cli", cwd: "/w/y" });
    expect([sessions.retagWorkers("/w"), of("later")]).toEqual([0, "cli"]);
  });
});

describe("signs of life", () => {
  it("T1 COR-20 an earlier moment than the stored one changes nothing", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.create({ id: "s1", source: "cli" });
    expect(sessions.touch("s1", { atSeconds: 100, description: "thinking", provenance: "agent.compression" })).toBe(true);
    expect(sessions.touch("s1", { atSeconds: 50, description: "late" })).toBe(false);
    expect(sessions.get("s1")).toMatchObject({
      lastActivityAtSeconds: 100,
      lastActivityDescription: "thinking",
      lastActivityProvenance: "agent.compression",
    });
  });

  it("T1 COR-20 labels are cleared once, without a second commit; the moment stays", () => {
    using test = openTestStore();
    using other = openStateStore({ path: test.path });
    const { sessions } = test.store;
    sessions.create({ id: "s1", source: "cli" });
    sessions.touch("s1", { atSeconds: 100, description: "thinking" });
    const before = dataVersion(other);
    expect(sessions.clearActivityLabels("s1")).toBe(true);
    const cleared = dataVersion(other);
    expect(cleared).not.toEqual(before);
    expect(sessions.clearActivityLabels("s1")).toBe(false);
    expect(dataVersion(other)).toEqual(cleared);
    expect(sessions.get("s1")).toMatchObject({
      lastActivityAtSeconds: 100,
      lastActivityDescription: "",
      lastActivityProvenance: "unknown",
    });
    sessions.create({ id: "s2", source: "cli" });
    expect([sessions.clearActivityLabels("s2"), sessions.clearActivityLabels("no")]).toEqual([false, false]);
  });
});
