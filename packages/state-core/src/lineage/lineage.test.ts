import { describe, expect, it } from "vitest";
import { openTestStore, sql, stateErrorOf } from "../../test/support/open-test-store.js";
import type { StateStore } from "../index.js";
import { MAX_HOPS } from "./walk-continuations.js";

interface Row {
  readonly id: string;
  readonly parent?: string;
  readonly ended?: string;
  readonly config?: object;
  readonly source?: string;
  readonly started?: number;
}

/** Lays out rows as they are, also such as no method would make. */
function lay(store: StateStore, rows: readonly Row[]): void {
  store.write("lay out", (w) => {
    for (const [index, { id, ended, config, source = "cli", started = index }] of rows.entries()) {
      w.run("INSERT INTO sessions (id, source, started_at, ended_at, end_reason, model_config) VALUES (?, ?, ?, ?, ?, ?)", [
        id,
        source,
        started,
        ended === undefined ? null : started + 1,
        ended ?? null,
        config === undefined ? null : JSON.stringify(config),
      ]);
    }
    for (const { id, parent } of rows) {
      if (parent !== undefined) w.run("UPDATE sessions SET parent_session_id = ? WHERE id = ?", [parent, id]);
    }
  });
}

describe("lineage", () => {
  it("COR-26 follows any number of hops, up to the cap", () => {
    using test = openTestStore();
    const length = MAX_HOPS + 5;
    lay(
      test.store,
      Array.from({ length }, (_, index) => ({
        id: `s${String(index)}`,
        ...(index > 0 && { parent: `s${String(index - 1)}` }),
        ...(index < length - 1 && { ended: "compression" }),
      })),
    );
    const { lineage } = test.store;
    expect(lineage.tip("s10")).toBe(`s${String(length - 1)}`);
    expect(lineage.tip("s0")).toBe(`s${String(MAX_HOPS)}`);
    expect(lineage.root("s999")).toBe("s0");
    expect(lineage.chain(`s${String(length - 1)}`)).toHaveLength(MAX_HOPS + 1);
    expect(lineage.resumeTarget("s100")).toBe(`s${String(length - 1)}`);
  });

  it("COR-26 markers of this parent make a fork; inherited ones do not", () => {
    using test = openTestStore();
    lay(test.store, [
      { id: "delegate", ended: "compression", parent: "main", config: { _delegate_from: "main" } },
      { id: "main", ended: "compression" },
      { id: "goes-on", parent: "delegate", config: { _delegate_from: "main" } },
      { id: "branch", parent: "main", config: { _branched_from: "main" }, started: 90 },
      { id: "reset", parent: "main", config: { _reset_from: "main" }, started: 91 },
      { id: "tool", parent: "main", source: "tool", started: 92 },
      { id: "next", parent: "main", config: { _branched_from: "elsewhere" }, started: 5 },
      { id: "broken", parent: "next" },
    ]);
    sql(test.store, "UPDATE sessions SET model_config = '{broken' WHERE id = 'broken'");
    const { lineage } = test.store;
    expect(lineage.tip("main")).toBe("next");
    expect(lineage.chain("next")).toEqual(["main", "next"]);
    expect(lineage.tip("delegate")).toBe("goes-on");
    expect(lineage.chain("goes-on")).toEqual(["delegate", "goes-on"]);
    for (const id of ["branch", "reset", "tool"]) expect(lineage.chain(id)).toEqual([id]);
    expect(lineage.root("goes-on")).toBe("main");
  });

  it("COR-26 of several continuations the compacted one is followed, then the live, then the freshest", () => {
    using test = openTestStore();
    lay(test.store, [
      { id: "a", ended: "compression" },
      { id: "closed", parent: "a", ended: "user_exit", started: 90 },
      { id: "live", parent: "a", started: 10 },
      { id: "fresher", parent: "a", started: 11 },
      { id: "hijack", parent: "a", started: 5e246 },
    ]);
    const { lineage } = test.store;
    expect(lineage.tip("a")).toBe("fresher");
    sql(test.store, "UPDATE sessions SET last_activity_at = 50 WHERE id = 'live'");
    expect(lineage.tip("a")).toBe("live");
    sql(test.store, "UPDATE sessions SET end_reason = 'compression', ended_at = 99 WHERE id = 'closed'");
    expect(lineage.tip("a")).toBe("closed");
  });

  it("COR-26 a continuation may have started before its parent ended", () => {
    using test = openTestStore();
    lay(test.store, [
      { id: "a", ended: "compression", started: 100 },
      { id: "b", parent: "a", started: 50 },
    ]);
    expect(test.store.lineage.tip("a")).toBe("b");
  });

  it("COR-26 rings end every walk", () => {
    using test = openTestStore();
    lay(test.store, [
      { id: "a", parent: "c", ended: "compression" },
      { id: "b", parent: "a", ended: "compression" },
      { id: "c", parent: "b", ended: "compression" },
      { id: "self", parent: "self", ended: "compression" },
    ]);
    const { lineage, sessions } = test.store;
    expect(lineage.tip("a")).toBe("c");
    expect(lineage.root("a")).toBe("b");
    expect(lineage.chain("a")).toEqual(["b", "c", "a"]);
    expect(lineage.resumeTarget("b")).toBe("a");
    expect([lineage.tip("self"), lineage.root("self"), lineage.resumeTarget("self")]).toEqual(["self", "self", "self"]);
    for (const order of ["started", "active"] as const) {
      expect(sessions.list({ order, includeChildren: true }).sessions).toHaveLength(4);
      expect(sessions.list({ order, includeChildren: true, searchQuery: "self" }).sessions).toHaveLength(1);
    }
  });

  it("COR-26 a resume lands on the newest unmarked descendant with messages, else on the tip", () => {
    using test = openTestStore();
    lay(test.store, [
      { id: "a", ended: "compression" },
      { id: "b", parent: "a", ended: "branched", started: 1 },
      { id: "old", parent: "b", started: 2 },
      { id: "empty", parent: "b", started: 3 },
      { id: "deep", parent: "empty", started: 4 },
    ]);
    const { lineage, messages } = test.store;
    expect(lineage.resumeTarget("a")).toBe("b");
    messages.append("deep", { role: "user", content: "x" });
    expect(lineage.resumeTarget("a")).toBe("deep");
  });

  it("COR-26 unknown ids are refused by code", () => {
    using test = openTestStore();
    const { lineage } = test.store;
    for (const walk of ["tip", "root", "chain", "resumeTarget"] as const) {
      expect(stateErrorOf(() => lineage[walk]("nope")).code).toBe("STATE_E_SESSION_NOT_FOUND");
    }
  });
});
