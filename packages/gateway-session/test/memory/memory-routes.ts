import { BOUNDARY_END_REASONS, sessionOfEntry, StateError } from "@hermes/state-core";
import type { JsonObject, KeyedPeer, PeerAddress, RouteTransition, RouteTransitionReceipt } from "@hermes/state-core";
import type { KeyedSession, StoredRoute } from "../../src/index.js";
import type { RouteStorage } from "../../src/sqlite/serve-routes.js";
import { chainOf, conversationOf, isClosed, isRecoverable, segmentsBefore, standingOf } from "./memory-lineage.js";
import type { MemoryRoute, MemorySession, MemoryTables } from "./memory-tables.js";

type Now = () => number;

const routedTo = (route: MemoryRoute | undefined): string | null => sessionOfEntry(route?.entry);

function scopeOf({ routes }: MemoryTables, scope: string): Map<string, MemoryRoute> {
  if (!routes.has(scope)) routes.set(scope, new Map());
  return routes.get(scope)!;
}

const copy = (entry: JsonObject): JsonObject => structuredClone(entry);

const stored = (sessionKey: string, { entry, savedAt }: MemoryRoute): StoredRoute => ({
  sessionKey,
  sessionId: sessionOfEntry(entry),
  entry: copy(entry),
  savedAtSeconds: savedAt,
});

/** Ends a session. @param promote - Also one that an accident ended. */
export function endInMemory(tables: MemoryTables, id: string, reason: string, at: number): void {
  const session = tables.sessions.get(id);
  const promotes = BOUNDARY_END_REASONS.has(reason);
  if (!session || (session.endedAt !== null && !(promotes && isRecoverable(session)))) return;
  session.endedAt = at;
  session.endReason = reason;
  if (!promotes || session.sessionKey === null) return;
  const peer = JSON.stringify([session.source, session.sessionKey]);
  tables.generations.set(peer, (tables.generations.get(peer) ?? 0) + 1);
}

function freeTitle({ sessions }: MemoryTables, title: string): string {
  const taken = new Set([...sessions.values()].map((session) => session.title));
  if (!taken.has(title)) return title;
  const base = title.replace(/ #\d+$/, "");
  for (let n = 2; ; n++) if (!taken.has(`${base} #${String(n)}`)) return `${base} #${String(n)}`;
}

function begin(
  tables: MemoryTables,
  step: RouteTransition,
  now: number,
): { created: boolean; titleGiven: string | null } {
  const { create, flags } = step;
  if (!create) return { created: false, titleGiven: null };
  const { sessions } = tables;
  let session = sessions.get(create.id);
  const created = session === undefined;
  if (!session) {
    const wanted = create.parentSessionId ?? "";
    const parent = wanted !== create.id && sessions.has(wanted) ? chainOf(tables, wanted).at(-1)! : null;
    const config = { ...create.modelConfig };
    const marked = Object.values(config).includes(parent);
    session = {
      id: create.id,
      source: create.source,
      sessionKey: create.sessionKey ?? null,
      userId: create.userId ?? null,
      chatId: create.chatId ?? null,
      chatType: create.chatType ?? null,
      threadId: create.threadId ?? null,
      displayName: create.displayName ?? null,
      originJson: create.originJson ?? null,
      parentSessionId: parent,
      modelConfig: parent === null || marked ? config : { ...config, _reset_from: parent },
      title: null,
      startedAt: create.startedAtSeconds ?? now,
      endedAt: null,
      endReason: null,
      archived: false,
      pinned: false,
      hidden: false,
      ...flags,
      order: sessions.size,
    };
    sessions.set(session.id, session);
  }
  if (!create.title || session.title !== null) return { created, titleGiven: null };
  session.title = freeTitle(tables, create.title);
  return { created, titleGiven: session.title === create.title ? null : session.title };
}

/** The generations of a peer go on under another spelling of its key. */
function carryGenerations({ generations }: MemoryTables, fromKey: string, toKey: string): void {
  for (const [peer, generation] of [...generations]) {
    const [source, key] = JSON.parse(peer) as [string, string];
    const renamed = JSON.stringify([source, toKey]);
    if (key === fromKey) generations.set(renamed, Math.max(generation, generations.get(renamed) ?? 0));
  }
}

function take(tables: MemoryTables, step: RouteTransition, now: number): RouteTransitionReceipt {
  const { scope, sessionKey, entry, expectedSessionId, leave, peer, recover } = step;
  const routes = scopeOf(tables, scope);
  const rowOf = (): RouteTransitionReceipt["stored"] => {
    const route = routes.get(sessionKey);
    return route && { scope, sessionKey, entry: copy(route.entry), updatedAtSeconds: route.savedAt, damaged: [] };
  };
  const target = recover === undefined ? undefined : tables.sessions.get(recover);
  const barred = target && target.endedAt !== null && !isClosed(target) && !isRecoverable(target);
  const contested = expectedSessionId !== undefined && routedTo(routes.get(sessionKey)) !== expectedSessionId;
  if (barred || contested) return { applied: false, stored: rowOf(), created: false, titleGiven: null };
  const begun = begin(tables, step, now);
  if (leave) endInMemory(tables, chainOf(tables, leave.sessionId).at(-1)!, leave.reason, now);
  for (const id of [step.reopen, recover]) {
    const session = tables.sessions.get(id ?? "");
    if (session && chainOf(tables, session.id).length === 1) Object.assign(session, { endedAt: null, endReason: null });
  }
  if (peer) {
    const { record, includeAncestors = false } = peer;
    const { source, sessionKey: key, userId = null, chatId = null, chatType = null, threadId = null } = record;
    for (const id of includeAncestors ? segmentsBefore(tables, peer.sessionId) : [peer.sessionId]) {
      const session = tables.sessions.get(id);
      if (!session) continue;
      Object.assign(session, { source, sessionKey: key, userId, chatId, chatType, threadId });
      session.displayName = record.displayName ?? session.displayName;
      session.originJson = record.originJson ?? session.originJson;
    }
  }
  if (step.replacesKey !== undefined) {
    carryGenerations(tables, step.replacesKey, sessionKey);
    routes.delete(step.replacesKey);
  }
  if (entry === null) routes.delete(sessionKey);
  else routes.set(sessionKey, { entry: copy(entry), savedAt: now });
  return { applied: true, stored: rowOf(), ...begun };
}

const newestFirst = (a: MemorySession, b: MemorySession): number => b.startedAt - a.startedAt || b.order - a.order;

function shown({ messages }: MemoryTables, session: MemorySession): KeyedSession {
  const {
    id: sessionId,
    sessionKey,
    parentSessionId,
    endReason,
    title,
    originJson,
    userId,
    chatId,
    threadId,
  } = session;
  return {
    sessionId,
    sessionKey,
    parentSessionId,
    startedAtSeconds: session.startedAt,
    endedAtSeconds: session.endedAt,
    endReason,
    title,
    messageCount: messages.filter((message) => message.sessionId === sessionId && message.active).length,
    originJson,
    userId,
    chatId,
    threadId,
  };
}

function agentOf(key: string): string | undefined {
  return /^agent:[^:]*:/.exec(key)?.[0];
}

function goingOn(
  tables: MemoryTables,
  found: readonly MemorySession[],
  fits: (key: string) => boolean,
): MemorySession[] {
  const tips = found.flatMap(({ id }) => chainOf(tables, id)).map((id) => tables.sessions.get(id)!);
  const all = [...new Set([...found, ...tips])].sort(newestFirst);
  const left = all.filter(({ endReason }) => BOUNDARY_END_REASONS.has(endReason ?? ""));
  const boundary = Math.max(-1, ...left.map(({ endedAt }) => endedAt ?? -1));
  return all.filter((session) => {
    const spoken = tables.messages.some(({ sessionId }) => sessionId === session.id);
    if (!spoken || (session.sessionKey !== null && !fits(session.sessionKey))) return false;
    return session.endedAt === null || (isRecoverable(session) && session.endedAt > boundary);
  });
}

function latest(tables: MemoryTables, peer: KeyedPeer): MemorySession | undefined {
  const { source, sessionKey, userId, chatId, chatType, threadId } = peer;
  const all = [...tables.sessions.values()].filter((session) => session.source === source);
  const [keyed] = goingOn(
    tables,
    all.filter((session) => session.sessionKey === sessionKey),
    (key) => key === sessionKey,
  );
  if (keyed || !chatId || !chatType) return keyed;
  const place = JSON.stringify([userId ?? "", chatId, chatType, threadId ?? ""]);
  const fits = (key: string): boolean => agentOf(key) === agentOf(sessionKey) || !agentOf(key) || !agentOf(sessionKey);
  const there = all.filter(
    (one) =>
      JSON.stringify([one.userId ?? "", one.chatId, one.chatType, one.threadId ?? ""]) === place &&
      (one.sessionKey === null || fits(one.sessionKey)),
  );
  return goingOn(tables, there, fits)[0];
}

function placed(tables: MemoryTables, { source, chatId, threadId, userId }: PeerAddress): MemorySession | undefined {
  const live = [...tables.sessions.values()]
    .filter((one) => one.source === source && one.chatId === chatId && (one.threadId ?? "") === (threadId ?? ""))
    .filter((one) => one.sessionKey && one.endedAt === null)
    .sort(newestFirst);
  if (!userId) return new Set(live.map((one) => one.userId ?? "")).size === 1 ? live[0] : undefined;
  const own = live.find((one) => one.userId === userId);
  if (own || live.length !== 1) return own;
  const [only] = live;
  return only?.userId && only.sessionKey!.split(":").includes(only.userId) ? undefined : only;
}

/** Routes, and the sessions they lead to, in memory. */
export function memoryRoutes(tables: MemoryTables, now: Now): RouteStorage {
  return {
    async loadRoutes(scope) {
      const routes = [...scopeOf(tables, scope)].sort(([a], [b]) => (a < b ? -1 : 1));
      return routes.map(([key, route]) => {
        const session = tables.sessions.get(routedTo(route) ?? "");
        const ended = session !== undefined && (session.endedAt !== null || isClosed(session));
        return { ...stored(key, route), ended };
      });
    },
    async findRoute(scope, sessionKey) {
      const route = scopeOf(tables, scope).get(sessionKey);
      return route && stored(sessionKey, route);
    },
    async saveRoute(scope, sessionKey, entry, sessionId) {
      const routes = scopeOf(tables, scope);
      if (routedTo(routes.get(sessionKey)) !== sessionId) return false;
      routes.set(sessionKey, { entry: copy(entry), savedAt: now() });
      return true;
    },
    async addMissingRoutes(scope, entries) {
      const routes = scopeOf(tables, scope);
      const added = [...entries].filter(([key]) => !routes.has(key));
      for (const [key, entry] of added) routes.set(key, { entry: copy(entry), savedAt: now() });
      return added.map(([key]) => key);
    },
    transition: async (step) => take(tables, step, now()),
    standing: async (id) => standingOf(tables, id),
    standings: async (ids) => new Map(ids.map((id) => [id, standingOf(tables, id)])),
    async latestForPeer(peer) {
      const found = latest(tables, peer);
      return found && shown(tables, found);
    },
    async sessionAt(address) {
      const found = placed(tables, address);
      return found && shown(tables, found);
    },
    async sessionsOfKey(sessionKey, limit) {
      const all = [...tables.sessions.values()].filter((session) => session.sessionKey === sessionKey);
      return all
        .sort(newestFirst)
        .slice(0, limit)
        .map((session) => shown(tables, session));
    },
    countSessions: async () => tables.sessions.size,
    async setProperties(sessionId, { title, ...flags }) {
      const session = tables.sessions.get(sessionId);
      if (!session) return false;
      const holder = [...tables.sessions.values()].find((one) => one.title === title && one.id !== sessionId);
      if (title !== undefined && holder) throw new StateError("STATE_E_TITLE_TAKEN", "taken", { holderId: holder.id });
      if (title !== undefined) session.title = title;
      for (const id of conversationOf(tables, sessionId)) Object.assign(tables.sessions.get(id)!, flags);
      return true;
    },
    generation: async (source, sessionKey) => tables.generations.get(JSON.stringify([source, sessionKey])) ?? 0,
  };
}
