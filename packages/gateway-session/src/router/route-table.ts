import type { RoutingEntry } from "../entry/routing-entry.js";
import type { StoredRoute } from "../port/session-storage-port.js";

/** A route in memory: as it was stored until somebody asks for it. */
interface Slot {
  stored: StoredRoute | undefined;
  entry: RoutingEntry | undefined;
  readonly sessionId: string;
}

/** How the table reads what is stored. Undefined for an entry that is none. */
export type EntryReader = (stored: StoredRoute) => RoutingEntry | undefined;

/** The routes of a scope by key and by session. Entries are read when first asked for: a start with many is cheap. */
export class RouteTable {
  readonly #slots = new Map<string, Slot>();
  readonly #keyOf = new Map<string, string>();
  readonly #read: EntryReader;

  constructor(read: EntryReader) {
    this.#read = read;
  }

  get size(): number {
    return this.#slots.size;
  }

  get(sessionKey: string): RoutingEntry | undefined {
    const slot = this.#slots.get(sessionKey);
    if (!slot) return undefined;
    if (!slot.entry && slot.stored) {
      slot.entry = this.#read(slot.stored);
      slot.stored = undefined;
      if (!slot.entry) this.delete(sessionKey);
    }
    return slot.entry;
  }

  /** The route that leads to a session. */
  bySession(sessionId: string): RoutingEntry | undefined {
    const key = this.#keyOf.get(sessionId);
    return key === undefined ? undefined : this.get(key);
  }

  *entries(): Generator<RoutingEntry> {
    for (const key of [...this.#slots.keys()]) {
      const entry = this.get(key);
      if (entry) yield entry;
    }
  }

  /** Takes a stored entry as it is. @param sessionId - The session that it names. */
  load(stored: StoredRoute, sessionId: string): void {
    this.#put(stored.sessionKey, { stored, entry: undefined, sessionId });
  }

  set(entry: RoutingEntry): void {
    this.#put(entry.sessionKey, { stored: undefined, entry, sessionId: entry.sessionId });
  }

  delete(sessionKey: string): void {
    const slot = this.#slots.get(sessionKey);
    if (!slot) return;
    this.#slots.delete(sessionKey);
    this.#unlink(sessionKey, slot);
  }

  #put(sessionKey: string, slot: Slot): void {
    const old = this.#slots.get(sessionKey);
    if (old && old.sessionId !== slot.sessionId) this.#unlink(sessionKey, old);
    this.#slots.set(sessionKey, slot);
    this.#keyOf.set(slot.sessionId, sessionKey);
  }

  #unlink(sessionKey: string, slot: Slot): void {
    if (this.#keyOf.get(slot.sessionId) === sessionKey) this.#keyOf.delete(slot.sessionId);
  }
}
