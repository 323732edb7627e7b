import type { Delegation, GatewayHeartbeat, HandoffState, JsonObject, NewMessage } from "@hermes/state-core";

/** A session row of the engine in memory. */
export interface MemorySession {
  readonly id: string;
  source: string;
  sessionKey: string | null;
  userId: string | null;
  chatId: string | null;
  chatType: string | null;
  threadId: string | null;
  displayName: string | null;
  originJson: string | null;
  parentSessionId: string | null;
  modelConfig: JsonObject;
  title: string | null;
  startedAt: number;
  endedAt: number | null;
  endReason: string | null;
  archived: boolean;
  pinned: boolean;
  hidden: boolean;
  /** Made n-th. */
  readonly order: number;
}

/** A message row of the engine in memory. */
export interface MemoryMessage {
  readonly id: number;
  readonly sessionId: string;
  readonly message: NewMessage;
  readonly at: number;
  active: boolean;
}

/** An entry of a scope. */
export interface MemoryRoute {
  readonly entry: JsonObject;
  readonly savedAt: number;
}

/** Everything that the engine in memory keeps. */
export interface MemoryTables {
  readonly sessions: Map<string, MemorySession>;
  readonly messages: MemoryMessage[];
  /** By scope, then key. */
  readonly routes: Map<string, Map<string, MemoryRoute>>;
  /** By source and key. */
  readonly generations: Map<string, number>;
  readonly beats: Map<string, GatewayHeartbeat>;
  readonly streaks: Map<string, number>;
  readonly handoffs: Map<string, HandoffState>;
  readonly delegations: Map<string, Partial<Delegation>>;
}

/** Tables with nothing in them. */
export function emptyTables(): MemoryTables {
  return {
    sessions: new Map(),
    messages: [],
    routes: new Map(),
    generations: new Map(),
    beats: new Map(),
    streaks: new Map(),
    handoffs: new Map(),
    delegations: new Map(),
  };
}
