import { canonicalSessionKey } from "@hermes/gateway-session";
import { loadSessionStore } from "./load-session-store.js";
import type { SessionStoreSnapshot } from "./load-session-store.js";

/** Which entry is meant. */
export interface SessionStoreQuestion {
  /** A snapshot to look in; the store itself when absent. */
  readonly store?: SessionStoreSnapshot;
  /** As for `loadSessionStore`; used when no snapshot is given. */
  readonly storePath?: string;
  readonly sessionKey: string;
}

/** The entry of a key. */
export interface SessionStoreEntry {
  readonly entry: Record<string, unknown> | undefined;
  /** The key as it is stored today. */
  readonly normalizedKey: string;
  /** Other spellings of the key that are stored: they mean the same peer. */
  readonly legacyKeys: readonly string[];
}

/** The entry that a key means: its fixed part may be spelt in any case, its ids are compared byte by byte (P19). */
export function resolveSessionStoreEntry({ store, storePath, sessionKey }: SessionStoreQuestion): SessionStoreEntry {
  const snapshot = store ?? loadSessionStore(storePath);
  const normalizedKey = canonicalSessionKey(sessionKey);
  const same = Object.keys(snapshot).filter((key) => canonicalSessionKey(key) === normalizedKey);
  const legacyKeys = same.filter((key) => key !== normalizedKey);
  const [found] = same.includes(normalizedKey) ? [normalizedKey] : same;
  return { entry: found === undefined ? undefined : snapshot[found], normalizedKey, legacyKeys };
}
