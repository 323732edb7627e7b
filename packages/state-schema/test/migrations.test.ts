import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { initializeSchema, type SchemaHost } from "../src/index.js";
import { addMessage, addSession, buildOldFile, change, insert } from "./old-file.js";
import { openTestHost, type TestHost } from "./test-host.js";

const configs = (host: TestHost): unknown =>
  Object.fromEntries(
    host
      .all<{ id: string; model_config: string | null }>("SELECT id, model_config FROM sessions")
      .map(({ id, model_config }) => [id, model_config]),
  );

describe("SCH-04 below 16: delegates", () => {
  it("SCH-04 marks delegated children and orphaned tool sessions, and nobody else", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 14, layout: 0 });
    change(host, (w) => {
      addSession(w, "root", { title: "root" });
      addSession(w, "compressed", { title: "c", ended_at: 5, end_reason: "compression" });
      addSession(w, "split", { title: "b", ended_at: 5, end_reason: "branched" });
      addSession(w, "reset", { title: "r", ended_at: 5, end_reason: "session_reset" });
      addSession(w, "delegate", { parent_session_id: "root", model_config: '{"keep": 1}' });
      addSession(w, "continuation", { parent_session_id: "compressed" });
      addSession(w, "branch", { parent_session_id: "split", started_at: 6 });
      addSession(w, "early", { parent_session_id: "split", started_at: 4 });
      addSession(w, "marked", { parent_session_id: "root", model_config: '{"_branched_from":"root"}' });
      addSession(w, "after-reset", { parent_session_id: "reset" });
      addSession(w, "broken", { parent_session_id: "root", model_config: "{oops" });
      addSession(w, "orphan");
      addMessage(w, "orphan", { role: "tool" });
      addSession(w, "plain");
      addMessage(w, "plain");
      addSession(w, "big", { message_count: 26 });
      addMessage(w, "big", { role: "tool" });
    });
    initializeSchema(host);
    expect(configs(host)).toEqual({
      root: null,
      compressed: null,
      split: null,
      reset: null,
      delegate: '{"keep":1,"_delegate_from":"root"}',
      continuation: null,
      branch: null,
      early: '{"_delegate_from":"split"}',
      marked: '{"_branched_from":"root"}',
      "after-reset": null,
      broken: "{oops",
      orphan: '{"_delegate_from":"__orphaned__"}',
      plain: null,
      big: null,
    });
  });

  it("SCH-04 is not run again on sessions that came later, although the file cannot be stamped current", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 14, layout: 0 });
    const options = { sqliteCapabilities: { fts5: false, trigram: false } };
    expect(initializeSchema(host, options)).toMatchObject({ versionAfter: 25, pausedAt: 30 });
    change(host, (w) => {
      addSession(w, "later");
      addMessage(w, "later", { role: "tool" });
    });
    expect(initializeSchema(host, options).migrated).toEqual([]);
    expect(configs(host)).toEqual({ later: null });
  });
});

describe("SCH-04 below 18: the routing file of old gateways", () => {
  const entry = { sessionId: "s", sessionKey: "k", chatId: "c", displayName: "from file", expiryFinalized: true };

  it("SCH-04 fills cells that are NULL and changes no other", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 16, layout: 0 });
    change(host, (w) => {
      w.exec("ALTER TABLE sessions ADD COLUMN display_name TEXT");
      addSession(w, "s", { display_name: "own" });
    });
    initializeSchema(host, { legacyRouting: () => [entry, { sessionId: "unknown", sessionKey: "x" }] });
    expect(host.get("SELECT session_key, chat_id, thread_id, display_name, expiry_finalized FROM sessions")).toEqual({
      session_key: "k",
      chat_id: "c",
      thread_id: null,
      display_name: "own",
      expiry_finalized: 1,
    });
  });

  it("SCH-04 is best effort: a routing file that cannot be read costs nothing", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 16, layout: 0 });
    const legacyRouting = (): never => {
      throw new Error("unreadable");
    };
    expect(initializeSchema(host, { legacyRouting })).toMatchObject({ versionAfter: 30, problems: [] });
  });

  it("SCH-04 is not asked for on newer files", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 20, layout: 0 });
    let asked = 0;
    initializeSchema(host, { legacyRouting: () => ((asked += 1), []) });
    expect(asked).toBe(0);
  });
});

it("SCH-04 below 20 seeds usage from session totals, once, and only where there is none", () => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 16, layout: 0 });
  change(host, (w) => {
    addSession(w, "used", { model: "m", input_tokens: 7, output_tokens: 2, ended_at: 1500, estimated_cost_usd: 0.5 });
    addSession(w, "nameless", { cache_read_tokens: 1 });
    addSession(w, "idle", { model: "m" });
  });
  initializeSchema(host);
  const usage = `SELECT session_id, model, task, input_tokens, estimated_cost_usd, first_seen, last_seen
    FROM session_model_usage
    ORDER BY session_id`;
  const expected = [
    {
      session_id: "nameless",
      model: "unknown",
      task: "",
      input_tokens: 0,
      estimated_cost_usd: 0,
      first_seen: 1000,
      last_seen: 1000,
    },
    {
      session_id: "used",
      model: "m",
      task: "",
      input_tokens: 7,
      estimated_cost_usd: 0.5,
      first_seen: 1000,
      last_seen: 1500,
    },
  ];
  expect(host.all(usage)).toEqual(expected);
  change(host, (w) => {
    w.run("UPDATE schema_version SET version = 18");
    w.run("UPDATE sessions SET model = 'switched' WHERE id = 'used'");
  });
  initializeSchema(host);
  expect(host.all(usage)).toEqual(expected);
});

describe("SCH-04 below 25: system prompts", () => {
  it("SCH-04 move to their own table byte for byte, in bounded steps", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 24, layout: 1 });
    change(host, (w) => {
      for (let n = 0; n < 450; n += 1)
        addSession(w, `s${n}`, { system_prompt: n % 3 === 0 ? "shared 系统" : `own ${n}` });
      addSession(w, "none");
      addSession(w, "empty", { system_prompt: "" });
      w.exec("UPDATE sessions SET system_prompt = CAST(x'6f7264ff6e756c00' AS TEXT) WHERE id = 's1'");
    });
    const bytes = host.all("SELECT id, hex(system_prompt) AS bytes FROM sessions ORDER BY id");
    initializeSchema(host);
    expect(host.transactions.filter((label) => label === "move system prompts")).toHaveLength(3);
    expect(
      host.all(`SELECT s.id, hex(COALESCE(p.prompt, s.system_prompt)) AS bytes
      FROM sessions AS s
      LEFT
      JOIN system_prompts AS p ON p.hash = s.system_prompt_hash
      ORDER BY s.id`),
    ).toEqual(bytes);
    expect(host.get("SELECT COUNT(*) AS n FROM sessions WHERE system_prompt IS NOT NULL")).toEqual({ n: 0 });
    const broken = createHash("sha256").update(Buffer.from("6f7264ff6e756c00", "hex")).digest("hex");
    expect(host.get("SELECT system_prompt_hash AS hash FROM sessions WHERE id = 's1'")).toEqual({ hash: broken });
    const hash = createHash("sha256").update("shared 系统").digest("hex");
    expect(host.get("SELECT system_prompt_hash AS hash FROM sessions WHERE id = 's0'")).toEqual({ hash });
    expect(host.get("SELECT prompt FROM system_prompts WHERE hash = ?", [hash])).toEqual({ prompt: "shared 系统" });
  });

  it("SCH-04 pause when the file is locked half-way, keep the open alive, and go on at the next open", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 24, layout: 1 });
    change(host, (w) => {
      for (let n = 0; n < 450; n += 1) addSession(w, `s${n}`, { system_prompt: `own ${n}` });
    });
    const report = initializeSchema(lockedAt(host, "move system prompts", 2));
    expect(report).toMatchObject({ pausedAt: 25, versionAfter: 24 });
    expect(report.problems).toHaveLength(1);
    expect(host.get("SELECT COUNT(*) AS n FROM system_prompts")).toEqual({ n: 200 });
    expect(initializeSchema(host)).toMatchObject({
      pausedAt: undefined,
      versionAfter: 30,
      migrated: [25, 30],
      problems: [],
    });
    expect(host.get("SELECT COUNT(*) AS n FROM system_prompts")).toEqual({ n: 450 });
  });
});

it.each([
  ["mark delegated sessions", 14, 16],
  ["copy peers of old routing entries", 16, 18],
  ["seed usage rows", 18, 20],
  ["offer the search upgrade", 20, 23],
  ["move system prompts", 23, 25],
  ["renew the trigram index", 25, 30],
] as const)("SCH-04 stamps what is complete when the file is locked before: %s", (label, stamped, paused) => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 14, layout: 0 });
  expect(initializeSchema(lockedAt(host, label, 1))).toMatchObject({ versionAfter: stamped, pausedAt: paused });
  expect(initializeSchema(host)).toMatchObject({ versionBefore: stamped, versionAfter: 30, problems: [] });
});

it("SCH-04 lets an error in the code through instead of taking it for a file that cannot be upgraded", () => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 24, layout: 1 });
  const broken: SchemaHost = {
    ...host,
    transaction: (label, fn) => {
      if (label === "move system prompts") throw new TypeError("a defect");
      return host.transaction(label, fn);
    },
  };
  expect(() => initializeSchema(broken)).toThrow(TypeError);
});

describe("SCH-04 below 30: the trigram index", () => {
  it.each([2, 3] as const)("SCH-04 follows the newest predicate in layout %s, under the right to rebuild", (layout) => {
    using host = oldPredicate(layout);
    expect(trigram(host, "needle")).toEqual([1, 2]);
    expect(initializeSchema(host)).toMatchObject({ versionAfter: 30, migrated: [30], problems: [] });
    expect(host.rebuilds).toEqual({ asked: 1, released: 1 });
    expect(trigram(host, "needle")).toEqual([1]);
    change(host, (w) => w.run("DELETE FROM messages"));
    host.db.exec("INSERT INTO messages_fts_trigram(messages_fts_trigram, rank) VALUES ('integrity-check', 1)");
  });

  it("SCH-04 keeps the old predicate and the version while another process rebuilds", () => {
    using host = oldPredicate(3, false);
    expect(initializeSchema(host)).toMatchObject({
      versionAfter: 26,
      pausedAt: 30,
      problems: [],
      index: { restored: undefined },
    });
    expect(trigram(host, "needle")).toEqual([1, 2]);
    change(host, (w) => w.run("DELETE FROM messages"));
    host.db.exec("INSERT INTO messages_fts_trigram(messages_fts_trigram, rank) VALUES ('integrity-check', 1)");
  });

  it("SCH-04 waits for a pending backfill, which would index rows a second time", () => {
    using host = oldPredicate(3);
    change(host, (w) =>
      w.run(`INSERT INTO state_meta
      VALUES ('fts_rebuild_high_water', '9'), ('fts_rebuild_progress', '3')`),
    );
    expect(initializeSchema(host)).toMatchObject({ versionAfter: 26, pausedAt: 30 });
    expect(host.rebuilds.asked).toBe(0);
  });

  it("SCH-04 is held back where the tokenizer cannot be asked", () => {
    using host = oldPredicate(3);
    const report = initializeSchema(host, { sqliteCapabilities: { fts5: true, trigram: false } });
    expect(report).toMatchObject({ versionAfter: 26, pausedAt: 30 });
  });

  it.each(["content-only", 0, 1] as const)("SCH-04 has nothing to renew in layout %s", (layout) => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 26, layout });
    expect(initializeSchema(host)).toMatchObject({ versionAfter: 30, migrated: [30] });
    expect(host.rebuilds.asked).toBe(0);
  });
});

it("SCH-05 below 23 offers the upgrade of an old layout and touches nothing else of it", () => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 22, layout: 0 });
  const objects = (): unknown =>
    host.all(`SELECT name, sql
    FROM sqlite_master
    WHERE name LIKE 'messages_fts%'
    ORDER BY name`);
  const before = objects();
  expect(initializeSchema(host)).toMatchObject({ layout: 0, versionAfter: 30 });
  expect(objects()).toEqual(before);
  expect(host.all("SELECT key, value FROM state_meta WHERE key LIKE 'fts%'")).toEqual([
    { key: "fts_optimize_available", value: "1" },
  ]);
});

it("SCH-05 stamps the layout on its own, and only where it is settled", () => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 30, layout: 3 });
  const stamp = (): unknown =>
    host.db
      .prepare(
        `SELECT value
    FROM state_meta
    WHERE key = 'fts_storage_version'`,
      )
      .pluck()
      .get();
  initializeSchema(host);
  expect(stamp()).toBe("3");
  change(host, (w) => w.run("UPDATE state_meta SET value = '1' WHERE key = 'fts_storage_version'"));
  initializeSchema(host);
  expect(stamp()).toBe("3");
  change(host, (w) => {
    w.run("DELETE FROM state_meta WHERE key = 'fts_storage_version'");
    w.run("INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '9'), ('fts_rebuild_progress', '3')");
  });
  initializeSchema(host);
  expect(stamp()).toBeUndefined();
});

/** A file of version 26 whose trigram index was built before subagent sessions were left out. */
function oldPredicate(layout: 2 | 3, admit = true): TestHost {
  const host = openTestHost(":memory:", { admit });
  buildOldFile(host, { version: 26, layout });
  change(host, (w) => {
    const objects = w.all<{ type: string; name: string; sql: string }>(
      "SELECT type, name, sql FROM sqlite_master WHERE sql LIKE '%''subagent''%'",
    );
    for (const { type, name, sql } of objects) {
      w.exec(`DROP ${type} ${name}`);
      w.exec(sql.replaceAll("('cron', 'subagent')", "('cron')"));
    }
    addSession(w, "mine");
    addSession(w, "sub", { source: "subagent" });
    insert(w, "messages", { session_id: "mine", role: "user", content: "needle", timestamp: 1 });
    insert(w, "messages", { session_id: "sub", role: "user", content: "needle", timestamp: 1 });
  });
  return host;
}

function trigram(host: TestHost, term: string): unknown[] {
  return host.db
    .prepare(
      `SELECT rowid
    FROM messages_fts_trigram
    WHERE messages_fts_trigram MATCH ?
    ORDER BY rowid`,
    )
    .pluck()
    .all(term);
}

/** A host on which the nth transaction of a label, and all later ones, find the file locked. */
function lockedAt(host: TestHost, label: string, nth: number): SchemaHost {
  let seen = 0;
  return {
    ...host,
    transaction: (given, fn) => {
      if (given === label) seen += 1;
      if (seen >= nth) throw Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
      return host.transaction(given, fn);
    },
  };
}
