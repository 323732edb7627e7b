import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describePython, openPeerDatabase, startPythonPeer, tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import type { StateStore } from "../src/index.js";

type Call = (store: StateStore) => unknown;

/** Every method of a part that only reads. */
const READS: Readonly<Record<string, Readonly<Record<string, Call>>>> = {
  sessions: {
    get: (store) => store.sessions.get("s1"),
    find: (store) => store.sessions.find("s1"),
    resolve: (store) => store.sessions.resolve("s1"),
    list: (store) => store.sessions.list({ searchQuery: "x", order: "active", includePinned: true }),
    iterate: (store) => [...store.sessions.iterate()],
    count: (store) => store.sessions.count({ cwdPrefix: "/srv" }),
    countBySource: (store) => store.sessions.countBySource(),
    isYolo: (store) => store.sessions.isYolo("s1"),
  },
  messages: {
    get: (store) => store.messages.get(1),
    find: (store) => store.messages.find(1),
    count: (store) => store.messages.count("s1", "all"),
    page: (store) => store.messages.page("s1", { order: "newest" }),
    conversation: (store) => store.messages.conversation("s1", { includeAncestors: true, repairAlternation: true }),
    iterate: (store) => [...store.messages.iterate("s1")],
    resume: (store) => store.messages.resume("s1"),
    guardSize: (store) => store.messages.guardSize("s1", "export"),
    around: (store) => store.messages.around(1),
    anchored: (store) => store.messages.anchored(1),
    recentUserTurns: (store) => store.messages.recentUserTurns("s1"),
    latestMessageId: (store) => store.messages.latestMessageId("s1"),
    hasPlatformMessageId: (store) => store.messages.hasPlatformMessageId("s1", "p1"),
  },
  titles: {
    bySession: (store) => store.titles.bySession("s1"),
    resolve: (store) => store.titles.resolve("x"),
    next: (store) => store.titles.next("x"),
  },
  lineage: {
    tip: (store) => store.lineage.tip("s1"),
    root: (store) => store.lineage.root("s1"),
    chain: (store) => store.lineage.chain("s1"),
    resumeTarget: (store) => store.lineage.resumeTarget("s1"),
    liveChild: (store) => store.lineage.liveChild("s1"),
    adopt: (store) => store.lineage.adopt("s1"),
  },
  compaction: {
    watermark: (store) => store.compaction.watermark("s1"),
    ceiling: (store) => store.compaction.ceiling("s1"),
    health: (store) => store.compaction.health("s1"),
    cooldown: (store) => store.compaction.cooldown("s1"),
  },
  leases: {
    newHolder: (store) => store.leases.newHolder(),
    holder: (store) => store.leases.holder("turn", "s1"),
    list: (store) => store.leases.list("compression"),
  },
  usage: {
    byModel: (store) => store.usage.byModel("s1"),
    byTask: (store) => store.usage.byTask("s1"),
    recentModelRoute: (store) => store.usage.recentModelRoute("s1"),
    queueState: (store) => store.usage.queueState(),
  },
  routing: {
    load: (store) => store.routing.load(""),
    find: (store) => store.routing.find("", "k"),
    outlines: (store) => store.routing.outlines(""),
    standing: (store) => store.routing.standing("s1"),
    standings: (store) => store.routing.standings(["s1"]),
    sessionsOfKey: (store) => store.routing.sessionsOfKey("k", 5),
    listGatewaySessions: (store) => store.routing.listGatewaySessions(),
    findSessionByOrigin: (store) => store.routing.findSessionByOrigin({ source: "test", chatId: "c" }),
    findLatestForPeer: (store) => store.routing.findLatestForPeer({ source: "test", sessionKey: "k" }),
    generation: (store) => store.routing.generation("test", "k"),
    heartbeats: (store) => store.routing.heartbeats(),
    hygieneFailures: (store) => store.routing.hygieneFailures("k"),
  },
  handoff: {
    get: (store) => store.handoff.get("s1"),
    pending: (store) => store.handoff.pending(),
  },
  delegations: {
    find: (store) => store.delegations.find("d"),
    list: (store) => store.delegations.list(),
  },
  retention: {
    candidates: (store) => store.retention.candidates(),
    getDeleteTargets: (store) => store.retention.getDeleteTargets("s1"),
    countEmpty: (store) => store.retention.countEmpty(),
    orphans: (store) => store.retention.orphans(),
  },
  topics: {
    mode: (store) => store.topics.mode("c"),
    bindingAt: (store) => store.topics.bindingAt("c", "t"),
    bindingOf: (store) => store.topics.bindingOf("s1"),
    bindings: (store) => store.topics.bindings("c"),
  },
  meta: {
    get: (store) => store.meta.get("x"),
    list: (store) => store.meta.list(),
  },
};

/** Every method that writes; a new method must be put into one of the two tables. */
const WRITES: Readonly<Record<string, readonly string[]>> = {
  sessions: [
    ...["create", "ensure", "end", "reopen", "promoteToReset", "setFlag", "markRead", "unarchiveRecoverable"],
    ...["updateConfig", "updateModel", "updateBillingRoute", "updateSystemPrompt", "updateToolNames", "setYolo"],
    ...["updateCwd", "publishGit", "backfillRepoRoots", "retagWorkers", "touch", "clearActivityLabels"],
  ],
  messages: [
    ...["append", "appendBatch", "saveTranscript", "replace", "clear", "rewindTo", "restoreFrom"],
    ...["react", "takeUnseenReactions"],
  ],
  titles: ["set", "setAuto", "setSource"],
  lineage: ["reopenOrphan", "finalizeOrphans"],
  compaction: ["archive", "rotate", "recordFailure", "clearFailure", "updateHealth", "increment", "restoreHealth"],
  leases: ["acquire", "refresh", "release", "sweep"],
  usage: ["record", "setAbsolute", "auxiliary", "queue", "flush"],
  routing: [
    ...["save", "saveOver", "addMissing", "mergeChanges", "replace", "delete", "recordPeer"],
    ...["transition", "setProperties"],
    ...["beat", "endBeat", "countHygieneFailure", "clearHygieneFailures"],
  ],
  handoff: ["request", "claim", "complete", "fail"],
  delegations: ["save", "delete", "claimDelivery", "markDelivered"],
  retention: [
    ...["prune", "archive", "archiveStale", "neverActive", "delete", "deleteIfEmpty", "deleteEmpty", "removeOrphans"],
    ...["purgeToolMarkers", "vacuum", "autoMaintain", "autoArchive"],
  ],
  topics: ["enable", "disable", "bind", "unbind"],
  meta: ["set", "delete"],
};

/** Statements that `call` runs on the writer. */
function writerStatements(store: StateStore, call: Call): string[] {
  const seen: string[] = [];
  const listener = (message: unknown): void => {
    const { role, sql } = message as { role: string; sql: string };
    if (role === "writer") seen.push(sql);
  };
  subscribe("hermes:state:statement", listener);
  try {
    call(store);
  } finally {
    unsubscribe("hermes:state:statement", listener);
  }
  return seen;
}

function fill(store: StateStore): void {
  store.sessions.create({ id: "s1", source: "test", cwd: "/srv" });
  store.messages.append("s1", { role: "user", content: "x" });
}

/** Names of a part's methods, those of the classes it extends among them. */
function methodsOf(part: object): string[] {
  const names = new Set<string>();
  let prototype = Object.getPrototypeOf(part) as object;
  for (; prototype !== Object.prototype; prototype = Object.getPrototypeOf(prototype) as object) {
    for (const name of Object.getOwnPropertyNames(prototype)) names.add(name);
  }
  names.delete("constructor");
  return [...names].sort();
}

describe("pure reads", () => {
  it("COR-05 every method of every part is known as a read or as a write", () => {
    using dir = tempDir("reads");
    using store = openStateStore({ path: dir.file("state.db") });
    const known = Object.entries(READS).map(([name, reads]) => [
      name,
      [...Object.keys(reads), ...(WRITES[name] ?? [])].sort(),
    ]);
    const found = Object.keys(READS).map((name) => [name, methodsOf(store[name as keyof StateStore] as object)]);
    expect(found).toEqual(known);
    // And no part is left out: what a store has besides its facts is a part.
    const facts = ["path", "readonly", "clock", "random"];
    expect(Object.keys(READS).sort()).toEqual(Object.keys(store).filter((key) => !facts.includes(key)).sort());
  });

  it("COR-05 run nothing on the writer", () => {
    using dir = tempDir("reads");
    using store = openStateStore({ path: dir.file("state.db") });
    fill(store);
    expect(writerStatements(store, (s) => s.info())).toEqual([]);
    for (const [part, calls] of Object.entries(READS)) {
      for (const [name, call] of Object.entries(calls)) {
        expect([part, name, writerStatements(store, call)]).toEqual([part, name, []]);
      }
    }
    // The planted violation: the same measure sees a write.
    expect(writerStatements(store, (s) => s.sessions.touch("s1"))).not.toEqual([]);
  });
});

describePython("pure reads beside a writer", () => {
  it("COR-05 answer at once while Python holds the write lock", async () => {
    using dir = tempDir("reads");
    const path = dir.file("state.db");
    using store = openStateStore({ path });
    fill(store);
    await using peer = await startPythonPeer();
    const holder = (await openPeerDatabase(peer, path)).holdWriteLock(1500);
    await holder.started;
    const started = performance.now();
    for (const calls of Object.values(READS)) for (const call of Object.values(calls)) call(store);
    expect(performance.now() - started).toBeLessThan(1000);
    await holder.done;
  });
});
