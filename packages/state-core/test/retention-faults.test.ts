import { testClock } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { betterSqlite3Driver } from "../src/index.js";
import type { StateStore } from "../src/index.js";
import { wrongCounters } from "./support/dump-store.js";
import { failAtEveryStatement } from "./support/every-statement.js";

const DAY = 86_400;

/** A compacted conversation, a delegate, a branch, an empty session and one that nobody ever used, all old. */
function lay(store: StateStore): void {
  const { sessions, messages, usage } = store;
  const old = { startedAtSeconds: testClock().now() - 100 * DAY };
  const say = (id: string): void => {
    messages.append(id, { role: "user", content: `大别山 words of ${id}`, timestampSeconds: old.startedAtSeconds });
  };
  sessions.create({ id: "root", source: "cli", systemPrompt: "be brief", ...old });
  say("root");
  usage.record("root", { model: "m", inputTokens: 3, apiCallCount: 1 });
  sessions.end("root", "compression");
  sessions.create({ id: "tip", source: "cli", parentSessionId: "root", ...old });
  say("tip");
  const of = { source: "cli", parentSessionId: "tip" };
  sessions.create({ id: "delegate", modelConfig: { _delegate_from: "tip" }, ...of, ...old });
  say("delegate");
  sessions.create({ id: "branch", modelConfig: { _branched_from: "tip" }, ...of });
  say("branch");
  sessions.create({ id: "empty", source: "cli", ...old });
  for (const id of ["tip", "empty"]) sessions.end(id, "done");
  sessions.create({ id: "ghost", source: "telegram", sessionKey: "k", ...old });
  store.write("lay", (w) =>
    w.run("INSERT INTO gateway_routing (scope, session_key, entry_json, updated_at) VALUES ('', 'k', ?, 1)", [
      '{"session_id": "ghost"}',
    ]),
  );
}

const left = (store: StateStore): string[] =>
  store.read((r) => r.all<{ id: string }>("SELECT id FROM sessions ORDER BY id").map((row) => row.id));

const WRITES: readonly (readonly [string, (store: StateStore) => unknown, readonly string[]])[] = [
  ["a prune", ({ retention }) => retention.prune(), ["branch", "delegate", "ghost"]],
  [
    "a deletion with lineage",
    ({ retention }) => retention.delete("tip", { includeLineage: true }),
    ["branch", "empty", "ghost"],
  ],
  [
    "an archive",
    ({ retention }) => retention.archive({ olderThanDays: 90 }),
    ["branch", "delegate", "empty", "ghost", "root", "tip"],
  ],
  ["an idle sweep", ({ retention }) => retention.archiveStale(3), ["branch", "delegate", "empty", "ghost", "root", "tip"]],
  ["a sweep of the never active", ({ retention }) => retention.neverActive(), ["branch", "delegate", "empty", "root", "tip"]],
  ["the deletion of an empty one", ({ retention }) => retention.deleteIfEmpty("empty"), ["branch", "delegate", "ghost", "root", "tip"]],
];

/** Deletes a session behind the back of its messages, as a connection without foreign keys may. */
function orphan(store: StateStore): void {
  lay(store);
  const raw = betterSqlite3Driver.open(store.path, { readonly: false, busyTimeoutMs: 1_000 });
  raw.pragma("foreign_keys=OFF");
  raw.exec("DELETE FROM sessions WHERE id = 'tip'");
  raw.close();
}

const INSERT_MARKER = `
  INSERT INTO messages (session_id, role, content, tool_calls, timestamp, active)
  VALUES ('branch', 'assistant', '[grep]', '[{"function": {"name": "grep"}}]', 1, 1)`;

describe("a failure at every statement", () => {
  it("COR-33 P23 of the removal of orphans leaves every row as it was", () => {
    using after = failAtEveryStatement({ lay: orphan, act: ({ retention }) => retention.removeOrphans() });
    expect(after.store.retention.orphans().messages).toBe(0);
    expect(after.statements).toBeGreaterThan(5);
  });

  it("COR-33 of the purge of placeholder texts leaves every row as it was", () => {
    using after = failAtEveryStatement({
      lay: (store) => {
        lay(store);
        store.write("lay", (w) => w.run(INSERT_MARKER));
      },
      act: ({ retention }) => retention.purgeToolMarkers({ backup: false }),
    });
    expect(after.store.retention.purgeToolMarkers({ dryRun: true }).messageIds).toEqual([]);
  });

  it.each(WRITES)("COR-33 COR-34 of %s leaves every row as it was", (_title, act, expected) => {
    using after = failAtEveryStatement({ lay, act });
    expect(after.statements).toBeGreaterThan(3);
    expect(left(after.store)).toEqual(expected);
    expect(wrongCounters(after.store)).toEqual([]);
  });
});
