/** A value, now or later: the contract runs over a synchronous store and over one behind a worker alike. */
export type Eventually<T> = T | Promise<T>;

/** A cell that may be empty or unreadable. */
type Cell<T> = T | null | undefined;

/** What the contract looks at in a session. */
export interface ContractSession {
  readonly id: string;
  readonly source: Cell<string>;
  readonly model: Cell<string>;
  readonly title: Cell<string>;
  readonly parentSessionId: Cell<string>;
  readonly startedAtSeconds: Cell<number>;
  readonly endedAtSeconds: Cell<number>;
  readonly endReason: Cell<string>;
  readonly messageCount: Cell<number>;
  readonly toolCallCount: Cell<number>;
}

/** What it looks at in a message. */
export interface ContractMessage {
  readonly id?: number;
  readonly role: string;
  readonly content: unknown;
  readonly timestampSeconds?: number | undefined;
  readonly toolCalls?: unknown;
}

/** What an append answers. */
export interface ContractReceipt {
  readonly id: number;
  readonly sessionId: string;
  readonly existing: boolean;
}

/** What the contract appends. */
export interface ContractNewMessage {
  readonly role: string;
  readonly content?: string | null;
  readonly timestampSeconds?: number;
  readonly toolCalls?: { readonly id: string }[];
  readonly toolCallId?: string;
  readonly platformMessageId?: string;
}

/** What the contract creates sessions with. */
export interface ContractSessionFields {
  readonly id?: string;
  readonly source: string;
  readonly model?: string;
  readonly parentSessionId?: string;
  readonly startedAtSeconds?: number;
  readonly title?: string;
}

/** The part of a store that every implementation shares, by structure only: this package knows no store. */
export interface ContractStore {
  readonly sessions: {
    create(fields: ContractSessionFields): Eventually<ContractSession>;
    ensure(fields: ContractSessionFields): Eventually<ContractSession>;
    get(id: string): Eventually<ContractSession>;
    find(id: string): Eventually<ContractSession | undefined>;
    end(id: string, reason: string): Eventually<unknown>;
    reopen(id: string): Eventually<unknown>;
    list(filter: object): Eventually<{ readonly sessions: readonly { readonly id: string }[] }>;
    count(filter: object): Eventually<number>;
  };
  readonly messages: {
    append(sessionId: string, message: ContractNewMessage): Eventually<ContractReceipt>;
    appendBatch(sessionId: string, messages: readonly ContractNewMessage[]): Eventually<readonly ContractReceipt[]>;
    get(id: number): Eventually<ContractMessage>;
    count(sessionId: string): Eventually<number>;
    conversation(
      sessionId: string,
      options: { readonly includeRowIds: true },
    ): Eventually<{ readonly messages: readonly ContractMessage[] }>;
    page(
      sessionId: string,
      options: { readonly limit: number; readonly cursor?: string; readonly order?: "oldest" | "newest" },
    ): Eventually<{ readonly messages: readonly ContractMessage[]; readonly nextCursor: string | undefined }>;
  };
  readonly meta: {
    get(key: string): Eventually<string | null | undefined>;
    set(key: string, value: string): Eventually<void>;
  };
  close(): Eventually<void>;
}

/** How the contract gets at an implementation. */
export interface StoreHarness {
  /** Opens the store at a path for writing, creating it when there is none. */
  open(path: string): Eventually<ContractStore>;
}
