import { checkKnownOptions, isJsonObject, parseRoutingJson, pythonJson } from "@hermes/state-core";
import type { JsonObject, PeerRecord, Session, SessionRow } from "@hermes/state-core";
import { given } from "./given.js";
import { oneArgument } from "./one-argument.js";
import type { Alone } from "./one-argument.js";
import { SessionDbMaintenance } from "./session-db-maintenance.js";

/** Where a peer talks; null and absent mean none. */
export interface PeerOptions {
  /** The platform. */
  readonly source?: string | null;
  readonly userId?: string | null;
  readonly sessionKey?: string | null;
  readonly chatId?: string | null;
  readonly chatType?: string | null;
  readonly threadId?: string | null;
}

/** What is written down about the peer of a session. */
export interface RecordPeerOptions extends PeerOptions {
  readonly displayName?: string | null;
  /** JSON text of the peer as the gateway saw it, or the object itself. */
  readonly originJson?: string | JsonObject | null;
  /** Also in the earlier segments of the conversation. */
  readonly includeCompressionAncestors?: boolean | null;
}

/** A place on a platform. */
export interface OriginOptions {
  readonly platform?: string | null;
  readonly chatId?: string | null;
  readonly threadId?: string | null;
  readonly userId?: string | null;
}

/** Which entries; the scope is the empty one when absent. */
export interface ScopeOptions {
  readonly scope?: string;
}

const PEER_NAMES: readonly (keyof PeerOptions)[] = ["source", "userId", "sessionKey", "chatId", "chatType", "threadId"];
const RECORD_NAMES = [...PEER_NAMES, "displayName", "originJson", "includeCompressionAncestors"];

const ENTRIES = "SELECT session_key, entry_json FROM gateway_routing WHERE scope = ? ORDER BY session_key";
const SET_FINALIZED = "UPDATE sessions SET expiry_finalized = ? WHERE id = ?";

function entryOf(what: string, entry: unknown): JsonObject {
  const value = typeof entry === "string" ? parseEntry(what, entry) : entry;
  if (isJsonObject(value)) return value;
  throw new TypeError(`${what}: an entry must be a JSON object, or the text of one.`);
}

function parseEntry(what: string, text: string): unknown {
  try {
    return parseRoutingJson(text);
  } catch (cause) {
    throw new TypeError(`${what}: an entry is no JSON text. Pass the text of a JSON object.`, { cause });
  }
}

/** Whether a key and a text were read, and the text is that of an object. */
function holdsEntry(row: readonly unknown[]): row is readonly [key: string, text: string] {
  const [key, text] = row;
  if (typeof key !== "string" || typeof text !== "string") return false;
  try {
    return isJsonObject(parseRoutingJson(text));
  } catch {
    // No JSON is no entry; `store.routing.load` tells which rows are damaged.
    return false;
  }
}

function scopeOf(what: string, options: ScopeOptions): string {
  checkKnownOptions(what, options, ["scope"]);
  const scope: unknown = options.scope ?? "";
  if (typeof scope !== "string") throw new TypeError(`${what}: scope must be a string, not ${typeof scope}.`);
  return scope;
}

/** The peers and routes of the one-object store. */
export abstract class SessionDbGateway extends SessionDbMaintenance {
  /**
   * Writes down who talks in a session, over what was there; a name and an origin that are not known anew stay.
   *
   * @returns Whether there is such a session.
   * @throws TypeError without a source or a session key.
   */
  recordGatewaySessionPeer(sessionId: string, options: RecordPeerOptions = {}): boolean {
    checkKnownOptions("SessionDB.recordGatewaySessionPeer", options, RECORD_NAMES);
    const { includeCompressionAncestors: includeAncestors = false, originJson, ...peer } = given(options);
    const origin = typeof originJson === "object" ? pythonJson(originJson) : originJson;
    const record = { ...peer, ...(origin !== undefined && { originJson: origin }) } as PeerRecord;
    return this.store.routing.recordPeer(sessionId, record, { includeAncestors });
  }

  /** Says whether a session's expiry was dealt with. @returns Whether there is such a session. */
  setExpiryFinalized(sessionId: string, finalized?: Alone<"finalized", boolean>): boolean {
    const what = "SessionDB.setExpiryFinalized";
    const is: unknown = oneArgument(what, "finalized", finalized) ?? true;
    if (typeof is !== "boolean") throw new TypeError(`${what}: finalized must be true or false.`);
    return this.store.write("mark an expiry", (w) => w.run(SET_FINALIZED, [is ? 1 : 0, sessionId]).changes > 0);
  }

  /** Stores a route over an older one of the same key. @param entryJson - JSON text of an object, or the object. */
  saveGatewayRoutingEntry(sessionKey: string, entryJson: string | JsonObject, options: ScopeOptions = {}): void {
    const what = "SessionDB.saveGatewayRoutingEntry";
    this.store.routing.save(scopeOf(what, options), sessionKey, entryOf(what, entryJson));
  }

  /** Makes these the only routes of a scope, all at once. */
  replaceGatewayRoutingEntries(
    entries: Readonly<Record<string, string | JsonObject>> | ReadonlyMap<string, string | JsonObject>,
    options: ScopeOptions = {},
  ): void {
    const what = "SessionDB.replaceGatewayRoutingEntries";
    const scope = scopeOf(what, options);
    if (typeof entries !== "object" || (entries as unknown) === null) {
      throw new TypeError(`${what}: the entries must be an object or a map.`);
    }
    const pairs = entries instanceof Map ? [...entries] : Object.entries(entries);
    const parsed = new Map(pairs.map(([key, entry]) => [key as string, entryOf(what, entry)]));
    this.store.routing.replace(scope, parsed);
  }

  /** The routes of a scope by key, each as the text that is stored; one that cannot be read is left out. */
  loadGatewayRoutingEntries(options: ScopeOptions = {}): Record<string, string> {
    const scope = scopeOf("SessionDB.loadGatewayRoutingEntries", options);
    const rows = this.store.read((r) => r.tuples(ENTRIES, [scope]));
    return Object.fromEntries(rows.filter(holdsEntry));
  }

  /** Deletes routes of a scope. @returns How many there were. */
  deleteGatewayRoutingEntries(sessionKeys: string | readonly string[], options: ScopeOptions = {}): number {
    const scope = scopeOf("SessionDB.deleteGatewayRoutingEntries", options);
    const keys = typeof sessionKeys === "string" ? [sessionKeys] : sessionKeys;
    if (!((keys as unknown) instanceof Array))
      throw new TypeError("SessionDB.deleteGatewayRoutingEntries: the keys must be a list.");
    return keys.filter((key) => this.store.routing.delete(scope, key)).length;
  }

  /** The newest session of every routing key. @param options - `activeOnly`: without those that have ended. */
  listGatewaySessions(
    options: { readonly platform?: string | null; readonly activeOnly?: boolean | null } = {},
  ): SessionRow[] {
    checkKnownOptions("SessionDB.listGatewaySessions", options, ["platform", "activeOnly"]);
    const { platform: source, activeOnly = false } = given(options);
    const rows = this.store.routing.listGatewaySessions(source === undefined ? {} : { source });
    return this.rows(activeOnly ? rows.filter((row) => row.endedAtSeconds === null) : rows);
  }

  /**
   * The live session of a place on a platform; null when there is none, and when it is not certain whose is meant.
   *
   * @returns Its id.
   * @throws TypeError without a platform or a chat.
   */
  findSessionByOrigin(options: OriginOptions = {}): string | null {
    checkKnownOptions("SessionDB.findSessionByOrigin", options, ["platform", "chatId", "threadId", "userId"]);
    const { platform, ...place } = given(options);
    const address = { ...place, source: platform as string };
    return this.store.routing.findSessionByOrigin(address)?.id ?? null;
  }

  /**
   * The session a peer was last in, live or ended by an accident, and with messages; null when there is none.
   *
   * @returns With its prompt, as `getSession` gives it.
   * @throws TypeError without a source or a session key.
   */
  findLatestGatewaySessionForPeer(options: PeerOptions = {}): Session | null {
    checkKnownOptions("SessionDB.findLatestGatewaySessionForPeer", options, PEER_NAMES);
    const found = this.store.routing.findLatestForPeer(given(options) as PeerRecord);
    return found ? this.getSession(found.id) : null;
  }
}
