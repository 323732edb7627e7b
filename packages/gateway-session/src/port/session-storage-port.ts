import type {
  ConversationOptions,
  JsonObject,
  KeyedPeer,
  MessageReceipt,
  NewMessage,
  PeerAddress,
  ReplacedTranscript,
  ReplaceMode,
  RewindReceipt,
  RouteTransition,
  RouteTransitionReceipt,
  SessionStanding,
  Transcript,
} from "@hermes/state-core";
import type { PendingProperties } from "../entry/routing-entry.js";
import type { GatewayRecordsPort } from "./gateway-records-port.js";

export type { SessionStanding } from "@hermes/state-core";

/** A route as it is stored. */
export interface StoredRoute {
  readonly sessionKey: string;
  /** The session that the entry names; null where it names none. */
  readonly sessionId: string | null;
  /** Undefined where the stored text is no JSON object. An engine may parse it when it is first asked for. */
  readonly entry: JsonObject | undefined;
  /** REAL seconds of the last save; undefined where unreadable. */
  readonly savedAtSeconds: number | undefined;
}

/** A route as it is loaded at a start. */
export interface LoadedRoute extends StoredRoute {
  /** Whether its session has ended, or a compaction closed it (P18). */
  readonly ended: boolean;
}

/** A session of a routing key, for the history of a route. Newest first. */
export interface KeyedSession {
  readonly sessionId: string;
  readonly sessionKey: string | null;
  readonly parentSessionId: string | null;
  readonly startedAtSeconds: number | null;
  readonly endedAtSeconds: number | null;
  readonly endReason: string | null;
  readonly title: string | null;
  readonly messageCount: number;
  /** JSON text of the peer as a gateway saw it. */
  readonly originJson: string | null;
  readonly userId: string | null;
  readonly chatId: string | null;
  readonly threadId: string | null;
}

/**
 * Where a gateway keeps its routes and transcripts (GWS-10). Every method is asynchronous and atomic by itself, so that
 * an engine behind a network can serve it; {@link sqliteStorage} serves it from one store.
 */
export interface SessionStoragePort extends GatewayRecordsPort {
  /** Every route of a scope, in one question, as at a start. */
  loadRoutes(scope: string): Promise<readonly LoadedRoute[]>;
  findRoute(scope: string, sessionKey: string): Promise<StoredRoute | undefined>;
  /** Stores an entry, but only over one that names the same session. @returns Whether it was stored. */
  saveRoute(scope: string, sessionKey: string, entry: JsonObject, sessionId: string): Promise<boolean>;
  /** Adds entries whose keys are not there. @returns The keys that were added. */
  addMissingRoutes(scope: string, entries: ReadonlyMap<string, JsonObject>): Promise<readonly string[]>;
  /** One step of a route with all it means for sessions, in one transaction: see `RouteTransition` of state-core. */
  transition(step: RouteTransition): Promise<RouteTransitionReceipt>;

  standing(sessionId: string): Promise<SessionStanding>;
  /** Of many sessions at once, as at a start. */
  standings(sessionIds: readonly string[]): Promise<ReadonlyMap<string, SessionStanding>>;
  /** The session a peer was last in, by key, else by its whole address (GWS-04). */
  latestForPeer(peer: KeyedPeer): Promise<KeyedSession | undefined>;
  /** The live session of a place; undefined when it is not certain whose is meant (GWS-04). */
  sessionAt(address: PeerAddress): Promise<KeyedSession | undefined>;
  sessionsOfKey(sessionKey: string, limit: number): Promise<readonly KeyedSession[]>;
  countSessions(): Promise<number>;
  /**
   * Sets a title and flags of a conversation at once.
   *
   * @returns False when the session has no row (yet).
   * @throws StateError `STATE_E_TITLE_TAKEN`, `STATE_E_TITLE_TOO_LONG`.
   */
  setProperties(sessionId: string, properties: PendingProperties): Promise<boolean>;
  /** How often the conversation of a peer began anew (GWS-07). */
  generation(source: string, sessionKey: string): Promise<number>;

  /**
   * Stores one message.
   *
   * @param options - `once`: the message may have been stored before; when any segment of the conversation holds its
   * `messageUid` or its platform id already, that row is returned and nothing is stored. `platform-id` looks for that
   * id alone, which costs nothing.
   * @throws StateError `STATE_E_COMPRESSION_CLOSED` when a compaction closed the session, and what the store throws.
   */
  append(
    sessionId: string,
    message: NewMessage,
    options?: { readonly once?: boolean | "platform-id" },
  ): Promise<MessageReceipt>;
  /**
   * What the model sees of one session; empty when the session has no row.
   *
   * @throws whenever it cannot be read: an empty conversation is never an answer to that.
   */
  conversation(sessionId: string, options?: ConversationOptions): Promise<Transcript>;
  /** Puts messages in the place of a session's, in one transaction: see `messages.replace` of state-core. */
  replace(sessionId: string, messages: readonly NewMessage[], mode: ReplaceMode): Promise<ReplacedTranscript>;
  /**
   * Takes the last turns of the user back, with all that followed them; nothing is deleted.
   *
   * @param turns - At least 1; of more than there are, all are taken back.
   * @returns Null when the user said nothing that could be taken back.
   */
  rewind(sessionId: string, turns: number): Promise<RewindReceipt | null>;
}
