import type {
  ContractMessage,
  ContractNewMessage,
  ContractReceipt,
  ContractSession,
  ContractStore,
} from "../src/index.js";

/** A way in which the store is wrong, to see the contract fail. */
export type Fault = "order" | "replay" | "count" | "closed" | "lost";

type Session = { -readonly [K in keyof ContractSession]: ContractSession[K] };
type Message = ContractMessage & { readonly id: number; readonly sessionId: string; readonly platformId?: string };

interface File {
  readonly sessions: Map<string, Session>;
  messages: Message[];
  readonly meta: Map<string, string>;
  ids: number;
}

const files = new Map<string, File>();

function refuse(code: string): never {
  throw Object.assign(new Error(code), { code });
}

function newSession(id: string, fields: { source: string; model?: string; startedAtSeconds?: number }): Session {
  return {
    id,
    source: fields.source,
    model: fields.model ?? null,
    title: null,
    parentSessionId: null,
    startedAtSeconds: fields.startedAtSeconds ?? 1,
    endedAtSeconds: null,
    endReason: null,
    messageCount: 0,
    toolCallCount: 0,
  };
}

/** The simplest store that keeps the contract, asynchronous and in memory; with a fault it breaks it. */
export function memoryStore(path: string, fault?: Fault): ContractStore {
  const empty: File = { sessions: new Map<string, Session>(), messages: [], meta: new Map<string, string>(), ids: 0 };
  const file = files.get(path) ?? empty;
  files.set(path, file);
  let closed = false;
  const open = async <T>(fn: () => T): Promise<T> => {
    await Promise.resolve();
    if (closed && fault !== "closed") refuse("STATE_E_CLOSED");
    return fn();
  };
  const session = (id: string): Session => file.sessions.get(id) ?? refuse("STATE_E_SESSION_NOT_FOUND");
  const rows = (id: string): Message[] => {
    session(id);
    const own = file.messages.filter((message) => message.sessionId === id);
    return fault === "order" ? own.sort((a, b) => (a.timestampSeconds ?? 0) - (b.timestampSeconds ?? 0)) : own;
  };
  const create = (fields: Parameters<ContractStore["sessions"]["create"]>[0]): Session => {
    const id = fields.id ?? `made-${String(++file.ids)}`;
    if (file.sessions.has(id)) refuse("STATE_E_SESSION_EXISTS");
    const { parentSessionId } = fields;
    if (parentSessionId !== undefined && !file.sessions.has(parentSessionId)) refuse("STATE_E_PARENT_NOT_FOUND");
    file.sessions.set(id, newSession(id, fields));
    return session(id);
  };
  const appendOne = (sessionId: string, message: ContractNewMessage): ContractReceipt => {
    const owner = session(sessionId);
    if (owner.endReason === "compression") refuse("STATE_E_COMPRESSION_CLOSED");
    const { platformMessageId } = message;
    const known = rows(sessionId).find((row) => row.platformId !== undefined && row.platformId === platformMessageId);
    if (known !== undefined && fault !== "replay") return { id: known.id, sessionId, existing: true };
    const id = ++file.ids;
    const { role, content = null, timestampSeconds = 1, toolCalls } = message;
    const platform = platformMessageId === undefined ? {} : { platformId: platformMessageId };
    file.messages.push({ id, sessionId, role, content, timestampSeconds, toolCalls, ...platform });
    owner.messageCount = (owner.messageCount ?? 0) + (fault === "count" ? 0 : 1);
    owner.toolCallCount = (owner.toolCallCount ?? 0) + (toolCalls?.length ?? 0);
    return { id, sessionId, existing: false };
  };
  return {
    sessions: {
      create: (fields) => open(() => ({ ...create(fields) })),
      ensure: (fields) =>
        open(() => {
          const known = file.sessions.get(fields.id ?? "");
          if (known !== undefined) known.model ??= fields.model ?? null;
          return { ...(known ?? create(fields)) };
        }),
      get: (id) => open(() => ({ ...session(id) })),
      find: (id) => open(() => file.sessions.get(id)),
      end: (id, reason) => open(() => Object.assign(session(id), endOf(session(id), reason))),
      reopen: (id) => open(() => Object.assign(session(id), { endReason: null, endedAtSeconds: null })),
      list: () =>
        open(() => ({
          sessions: [...file.sessions.values()].sort((a, b) => (b.startedAtSeconds ?? 0) - (a.startedAtSeconds ?? 0)),
        })),
      count: () => open(() => file.sessions.size),
    },
    messages: {
      append: (id, message) => open(() => appendOne(id, message)),
      appendBatch: (id, messages) =>
        open(() => {
          if (messages.some((message) => Number.isNaN(message.timestampSeconds))) refuse("STATE_E_BAD_TIMESTAMP");
          return messages.map((message) => appendOne(id, message));
        }),
      get: (id) => open(() => file.messages.find((row) => row.id === id) ?? refuse("STATE_E_MESSAGE_NOT_FOUND")),
      count: (id) => open(() => rows(id).length),
      conversation: (id) => open(() => ({ messages: rows(id) })),
      page: (id, { limit, cursor = "0", order }) =>
        open(() => {
          const all = order === "newest" ? rows(id).reverse() : rows(id);
          const next = Number(cursor) + limit;
          const nextCursor = next < all.length ? String(next) : undefined;
          return { messages: all.slice(Number(cursor), next), nextCursor };
        }),
    },
    meta: {
      get: (key) => open(() => file.meta.get(key)),
      set: (key, value) => open(() => void file.meta.set(key, value)),
    },
    close: () => {
      closed = true;
      if (fault === "lost") file.messages = file.messages.slice(0, -1);
    },
  };
}

function endOf(session: Session, reason: string): Partial<Session> {
  return session.endReason === null ? { endReason: reason, endedAtSeconds: 1 } : {};
}
