import { describe, expect, it } from "vitest";
import type { NewMessage, RotateOptions, SessionFields, StateStore } from "../src/index.js";
import { checkIndexes, dumpStore, wrongCounters } from "./support/dump-store.js";
import { openTestStore, sql, stateErrorOf } from "./support/open-test-store.js";
import type { TestStore } from "./support/open-test-store.js";

const HOLDER = "pid=1:tid=1:agent=ab:nonce=00000000";
const SUMMARY: NewMessage = { role: "user", content: "summary" };

const ORIGIN: Partial<SessionFields> = {
  userId: "u1",
  sessionKey: "agent:main:telegram:c1",
  chatId: "c1",
  chatType: "dm",
  threadId: "t1",
  displayName: "Ada",
  originJson: '{"a": 1}',
  cwd: "/srv/work",
  gitBranch: "main",
  gitRepoRoot: "/srv",
  profileName: "ops",
  transportProfile: "tp",
  model: "m1",
  systemPrompt: "be brief",
  toolNames: ["grep"],
};

function withParent(fields: Partial<SessionFields> = {}): TestStore {
  const test = openTestStore();
  test.store.sessions.create({ id: "s1", source: "telegram", ...ORIGIN, ...fields });
  append(test.store, "m1", "m2");
  test.store.leases.acquire("compression", "s1", { holder: HOLDER });
  return test;
}

function append(store: StateStore, ...contents: string[]): number[] {
  return contents.map((content) => store.messages.append("s1", { role: "user", content }).id);
}

function options(store: StateStore, extra: Partial<RotateOptions> = {}): RotateOptions {
  return { messages: [SUMMARY], watermark: store.compaction.watermark("s1"), holder: HOLDER, ...extra };
}

function texts(store: StateStore, sessionId: string): unknown[] {
  return store.messages.conversation(sessionId).messages.map((message) => message.content);
}

describe("a rotation", () => {
  it("COR-24 P16 makes the next segment with all that belongs to the conversation, and closes the last one", () => {
    using test = withParent({ title: "long walk" });
    const { store, clock } = test;
    for (const flag of ["archived", "pinned", "hidden"]) sql(store, `UPDATE sessions SET ${flag} = 1`);
    sql(store, "UPDATE sessions SET last_read_at = 5, rewind_count = 3, api_call_count = 4, input_tokens = 6");
    clock.advance(10_000);
    const receipt = store.compaction.rotate("s1", { id: "s2" }, options(store));
    expect(receipt).toEqual({ sessionId: "s2", activeCount: 1, carriedCount: 0 });
    const parent = store.sessions.get("s1");
    const child = store.sessions.get("s2");
    const { systemPrompt, toolNames, profileName, ...origin } = ORIGIN;
    expect(child).toMatchObject({
      ...origin,
      systemPrompt,
      toolNames,
      profileName,
      source: "telegram",
      createdSource: "telegram",
      parentSessionId: "s1",
      startedAtSeconds: clock.now(),
      endedAtSeconds: null,
      endReason: null,
      messageCount: 1,
      toolCallCount: 0,
      archived: true,
      pinned: true,
      hidden: true,
      lastReadAtSeconds: 5,
      title: null,
      rewindCount: 0,
      apiCallCount: 0,
      inputTokens: 0,
    });
    expect(parent).toMatchObject({ endReason: "compression", endedAtSeconds: clock.now(), messageCount: 2 });
    expect(texts(store, "s1")).toEqual(["m1", "m2"]);
    expect(texts(store, "s2")).toEqual(["summary"]);
    expect(store.read((r) => r.all("SELECT hash FROM system_prompts"))).toHaveLength(1);
  });

  it("COR-24 what the child is given wins; its config is merged into the parent's", () => {
    using test = withParent({ modelConfig: { keep: 1, drop: 2, change: 3, _branched_from: "elsewhere" } });
    const { store } = test;
    store.compaction.rotate(
      "s1",
      {
        id: "s2",
        source: "cli",
        model: "m2",
        systemPrompt: "be briefer",
        cwd: "/elsewhere",
        profileName: "p2",
        chatId: "c2",
        toolNames: [],
        startedAtSeconds: 7,
        modelConfig: { drop: null, change: 4, add: 5 },
        title: "next",
      },
      options(store),
    );
    expect(store.sessions.get("s2")).toMatchObject({
      source: "cli",
      model: "m2",
      systemPrompt: "be briefer",
      cwd: "/elsewhere",
      profileName: "p2",
      chatId: "c2",
      userId: "u1",
      toolNames: [],
      startedAtSeconds: 7,
      modelConfig: { keep: 1, change: 4, add: 5, _branched_from: "elsewhere" },
      title: "next",
      titleSource: "user",
    });
    // The marker names another session: inherited, not a fork.
    expect(store.lineage.tip("s1")).toBe("s2");
  });

  it("COR-24 a child without an id gets one; its title may move down from an earlier segment", () => {
    using test = withParent({ title: "long walk" });
    const { store } = test;
    const { sessionId } = store.compaction.rotate("s1", { title: "long walk" }, options(store));
    expect(sessionId).toMatch(/^\d{8}_\d{6}_[0-9a-f]{8}$/);
    expect(store.sessions.get(sessionId).title).toBe("long walk");
    expect(store.sessions.get("s1").title).toBeNull();
  });

  it("COR-24 an inline prompt of an old file comes along", () => {
    using test = withParent();
    const { store } = test;
    sql(store, "UPDATE sessions SET system_prompt = 'inline', system_prompt_hash = NULL");
    store.compaction.rotate("s1", { id: "s2" }, options(store));
    expect(store.sessions.get("s2").systemPrompt).toBe("inline");
  });

  it("COR-24 copies what came in after the watermark behind the hand-off, in order, with its own time", () => {
    using test = withParent();
    const { store } = test;
    const watermark = store.compaction.watermark("s1");
    const calls = { role: "assistant", toolCalls: [{ id: "a" }, { id: "b" }], timestampSeconds: 99 };
    store.messages.append("s1", { ...calls, platformMessageId: "p1" });
    append(store, "m4");
    const messages = [SUMMARY, { role: "assistant", content: "carried", timestampSeconds: 50 }];
    const receipt = store.compaction.rotate("s1", { id: "s2" }, options(store, { watermark, messages }));
    expect(receipt).toEqual({ sessionId: "s2", activeCount: 4, carriedCount: 2 });
    const rows = store.messages.page("s2", { include: "all", limit: 10 }).messages;
    expect(rows.map((row) => row.content)).toEqual(["summary", "carried", null, "m4"]);
    expect(rows.slice(1, 3).map((row) => row.timestampSeconds)).toEqual([50, 99]);
    expect(store.sessions.get("s2")).toMatchObject({ messageCount: 4, toolCallCount: 2 });
    // Redelivered by the platform to the continuation: it is there.
    expect(store.messages.append("s2", { role: "user", content: "x", platformMessageId: "p1" }).existing).toBe(true);
    expect(wrongCounters(store)).toEqual([]);
    checkIndexes(store);
  });

  it("COR-24 the ceiling keeps out what the rotator stored itself", () => {
    using test = withParent();
    const { store } = test;
    const watermark = store.compaction.watermark("s1");
    append(store, "came in");
    const ceiling = store.compaction.ceiling("s1");
    append(store, "the rotator's own");
    const messages = [SUMMARY, { role: "user", content: "the rotator's own" }];
    store.compaction.rotate("s1", { id: "s2" }, options(store, { watermark, ceiling, messages }));
    expect(texts(store, "s2")).toEqual(["summary", "the rotator's own", "came in"]);
  });

  it("COR-24 the rotator's own ids keep out just those, also when others append in between", () => {
    using test = withParent();
    const { store } = test;
    const watermark = store.compaction.watermark("s1");
    const ownIds = append(store, "own 1");
    append(store, "came in 1");
    ownIds.push(...append(store, "own 2"));
    append(store, "came in 2");
    const messages = [SUMMARY, { role: "user", content: "own 1" }, { role: "user", content: "own 2" }];
    store.compaction.rotate("s1", { id: "s2" }, options(store, { watermark, ownIds, messages }));
    expect(texts(store, "s2")).toEqual(["summary", "own 1", "own 2", "came in 1", "came in 2"]);
  });

  it.each([{ watermark: null }, { watermark: 1, ceiling: null }])("COR-24 copies nothing with %o", (bounds) => {
    using test = withParent();
    const { store } = test;
    append(store, "m3");
    store.compaction.rotate("s1", { id: "s2" }, options(store, bounds));
    expect(texts(store, "s2")).toEqual(["summary"]);
  });

  it("COR-24 a delegate's next segment stays out of what its marker keeps it out of, and is no fork", () => {
    using test = openTestStore();
    const { store } = test;
    store.sessions.create({ id: "main", source: "cli" });
    store.sessions.create({
      id: "s1",
      source: "subagent",
      parentSessionId: "main",
      modelConfig: { _delegate_from: "main" },
    });
    append(store, "m1");
    store.compaction.rotate("s1", { id: "s2" }, options(store, { requireLease: false }));
    expect(store.sessions.get("s2")).toMatchObject({ source: "subagent", modelConfig: { _delegate_from: "main" } });
    expect(store.lineage.chain("s2")).toEqual(["s1", "s2"]);
    const indexed = store.read((r) => r.all("SELECT rowid FROM messages_fts_trigram WHERE messages_fts_trigram MATCH 'sum'"));
    expect(indexed).toEqual([]);
  });

  it("COR-24 drops a marker that would make the child a fork of its own parent", () => {
    using test = withParent({ modelConfig: { _delegate_from: "s1" } });
    const { store } = test;
    store.compaction.rotate("s1", { id: "s2", modelConfig: { _branched_from: "s1", _reset_from: "s1" } }, options(store));
    expect(store.lineage.tip("s1")).toBe("s2");
    expect(store.sessions.get("s2").modelConfig).toBeNull();
  });

  it("COR-24 the next rotation goes on from the tip; three of them are one conversation", () => {
    using test = withParent({ title: "long walk" });
    const { store } = test;
    for (const [index, id] of ["s1", "s2", "s3"].entries()) {
      const child = `s${String(index + 2)}`;
      store.compaction.rotate(id, { id: child }, { messages: [SUMMARY], watermark: null, requireLease: false });
      store.messages.append(child, { role: "user", content: `in ${child}` });
    }
    expect(store.lineage.chain("s2")).toEqual(["s1", "s2", "s3", "s4"]);
    const found = store.sessions.resolve("long walk");
    expect(found).toMatchObject({ sessionId: "s1" });
    expect(store.lineage.tip("s1")).toBe("s4");
    const listed = store.sessions.list({ source: "telegram" }).sessions;
    expect(listed).toHaveLength(1);
    expect(listed[0]).toMatchObject({ id: "s4", title: "long walk", startedAtSeconds: test.clock.now() });
    expect(store.sessions.get("s4")).toMatchObject({ userId: "u1", chatId: "c1", threadId: "t1", cwd: "/srv/work" });
    const late = stateErrorOf(() => store.messages.append("s2", { role: "user", content: "late" }));
    expect([late.code, late.facts["tipId"]]).toEqual(["STATE_E_COMPRESSION_CLOSED", "s4"]);
    expect(store.lineage.adopt("s2")).toBe("s4");
  });
});

describe("a rotation that must not happen", () => {
  it.each(["tui_shutdown", "ws_disconnect", "idle_timeout", "lru_evict", "agent_close", "startup_orphan_reap"])(
    "COR-24 an end nobody asked for (%s) does not wedge it",
    (reason) => {
      using test = withParent();
      const { store } = test;
      store.sessions.end("s1", reason);
      store.compaction.rotate("s1", { id: "s2" }, options(store));
      expect(store.sessions.get("s1").endReason).toBe("compression");
      expect(store.lineage.tip("s1")).toBe("s2");
    },
  );

  it.each(["user_exit", "session_reset", "branched", "completed"])("COR-24 a deliberate end (%s) stands", (reason) => {
    using test = withParent();
    const { store } = test;
    store.sessions.end("s1", reason);
    const before = dumpStore(store);
    const error = stateErrorOf(() => store.compaction.rotate("s1", { id: "s2" }, options(store)));
    expect([error.code, error.facts["reason"]]).toEqual(["STATE_E_SESSION_ENDED", reason]);
    expect(dumpStore(store)).toEqual(before);
  });

  it("COR-24 a second rotator is told where the conversation went", () => {
    using test = withParent();
    const { store } = test;
    const plan = options(store);
    store.compaction.rotate("s1", { id: "s2" }, plan);
    const before = dumpStore(store);
    const error = stateErrorOf(() => store.compaction.rotate("s1", { id: "s3" }, plan));
    expect([error.code, error.facts["tipId"]]).toEqual(["STATE_E_COMPRESSION_CLOSED", "s2"]);
    expect(dumpStore(store)).toEqual(before);
  });

  it("COR-24 without the lease, for an unknown parent, over an existing child or a taken title nothing changes", () => {
    using test = withParent();
    const { store, clock } = test;
    store.sessions.create({ id: "other", source: "cli", title: "taken" });
    const before = dumpStore(store);
    const refused = (parentId: string, child: object, extra: Partial<RotateOptions> = {}): string => {
      const { code } = stateErrorOf(() => store.compaction.rotate(parentId, child, options(store, extra)));
      expect(dumpStore(store)).toEqual(before);
      return code;
    };
    expect(refused("s1", { id: "s2" }, { holder: "pid=2:nonce=ffffffff" })).toBe("STATE_E_COMPRESSION_BUSY");
    expect(refused("s1", { id: "s2" }, { holder: "pid=2:nonce=f", refreshTtlSeconds: 9 })).toBe("STATE_E_COMPRESSION_BUSY");
    expect(refused("nope", { id: "s2" }, { requireLease: false })).toBe("STATE_E_SESSION_NOT_FOUND");
    expect(refused("s1", { id: "other" })).toBe("STATE_E_SESSION_EXISTS");
    expect(refused("s1", { id: "s1" })).toBe("STATE_E_SESSION_EXISTS");
    expect(refused("s1", { id: "s2", title: "taken" })).toBe("STATE_E_TITLE_TAKEN");
    clock.advance(300_000);
    expect(refused("s1", { id: "s2" })).toBe("STATE_E_COMPRESSION_BUSY");
    store.compaction.rotate("s1", { id: "s2" }, options(store, { refreshTtlSeconds: 30 }));
    expect(store.leases.holder("compression", "s1")?.expiresAtSeconds).toBe(clock.now() + 30);
  });

  it("COR-24 COR-26 one that nobody would find: a tool session, a parent that leads elsewhere already", () => {
    using test = withParent();
    const { store } = test;
    const code = (child: object): unknown => {
      const before = dumpStore(store);
      const error = stateErrorOf(() => store.compaction.rotate("s1", child, options(store)));
      expect(dumpStore(store)).toEqual(before);
      return [error.code, error.facts["otherId"]];
    };
    expect(code({ id: "s2", source: "tool" })).toEqual(["STATE_E_CONTINUATION_HIDDEN", undefined]);
    store.sessions.create({ id: "old", source: "telegram", parentSessionId: "s1" });
    store.sessions.end("old", "compression");
    expect(code({ id: "s2" })).toEqual(["STATE_E_CONTINUATION_HIDDEN", "old"]);
  });

  it.each<[string, object]>([
    ["no message", { messages: [] }],
    ["no watermark", { watermark: undefined }],
    ["a negative ceiling", { ceiling: -1 }],
    ["ids that are none", { ownIds: ["1"] }],
    ["no holder", { holder: undefined }],
    ["no holder to refresh", { holder: undefined, requireLease: false, refreshTtlSeconds: 5 }],
    ["a misspelt option", { watermarks: 1 }],
  ])("COR-24 %s is a TypeError", (_, extra) => {
    using test = withParent();
    const { store } = test;
    const given = { ...options(store), ...extra };
    expect(() => store.compaction.rotate("s1", { id: "s2" }, given)).toThrow(TypeError);
    expect(store.sessions.find("s2")).toBeUndefined();
  });

  it("COR-24 a child with an unknown field or a parent of its own choice is a TypeError", () => {
    using test = withParent();
    const { store } = test;
    for (const child of [{ titel: "x" }, { source: "" }, { startedAtSeconds: "soon" as unknown as number }]) {
      expect(() => store.compaction.rotate("s1", child, options(store))).toThrow();
    }
    const own = { id: "s2", parentSessionId: "elsewhere" } as object;
    expect(() => store.compaction.rotate("s1", own, options(store))).toThrow(TypeError);
    expect(store.sessions.get("s1").endReason).toBeNull();
  });
});
