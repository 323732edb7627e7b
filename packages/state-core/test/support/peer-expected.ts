import { copyPeerFile, tempDir, testClock } from "@hermes/testkit";
import { openStateStore } from "../../src/index.js";
import type { StateStore } from "../../src/index.js";

/** A dictionary as the peer's reader returned it. */
export type PeerDict = Readonly<Record<string, unknown>>;

/** What the peer's readers returned for `peer-small.db`. */
export interface PeerSmall {
  readonly frozen_now: number;
  readonly counts: Readonly<Record<string, number>> & { readonly by_source: Readonly<Record<string, number>> };
  readonly list_sessions_rich: Readonly<Record<string, { args: PeerDict; rows: readonly PeerDict[] }>>;
  readonly sessions: Readonly<Record<string, PeerSmallSession>>;
  readonly get_messages_shapes: readonly PeerDict[];
  readonly resolve_session_id: Readonly<Record<string, string | null>>;
  readonly resolve_title: Readonly<Record<string, string | null>>;
}

/** One session of {@link PeerSmall}; null where the peer's recorder did not ask. */
export interface PeerSmallSession {
  readonly session: PeerDict;
  readonly conversation: readonly PeerDict[];
  readonly conversation_inactive: readonly PeerDict[];
  readonly conversation_ancestors: readonly PeerDict[] | null;
  readonly repaired: readonly PeerDict[] | null;
  readonly resume_model_len: number;
  readonly message_ids: readonly number[];
  readonly message_ids_inactive: readonly number[];
  readonly tip: string;
  readonly root: string;
  readonly lineage: readonly string[];
  readonly resume_id: string;
}

/** What the readers of an older version returned for its own file. */
export interface PeerOld {
  readonly sessions: readonly {
    readonly id: string;
    readonly session: PeerDict;
    readonly messages_full: readonly PeerDict[];
    readonly messages_including_inactive?: readonly PeerDict[] | null;
    readonly conversation: readonly PeerDict[];
    readonly compression_tip?: string | null;
    readonly resume_id?: string | null;
  }[];
  readonly list_sessions_rich: readonly PeerOldLine[] | null;
}

/** One line of an older version's listing. */
export interface PeerOldLine {
  readonly id: string;
  readonly preview: string;
  readonly last_active: number;
  readonly title: string | null;
}

/** An open copy of a peer's file; both vanish with the scope. */
export interface PeerCopy extends Disposable {
  readonly store: StateStore;
}

/**
 * Opens a copy of a peer's file.
 *
 * @param mode - `write` upgrades it first, `read` reads it as the peer left it.
 */
export function openPeerCopy(database: string, mode: "read" | "write"): PeerCopy {
  const dir = tempDir("peer");
  const store = openStateStore({ path: copyPeerFile(database, dir), mode, clock: testClock() });
  return {
    store,
    [Symbol.dispose]: () => {
      store.close();
      dir[Symbol.dispose]();
    },
  };
}

/** The peer's files of older versions, and those that later versions went on with. */
export const OLD_PEER_FILES = [
  "peer-v02.db",
  "peer-v04.db",
  "peer-v06.db",
  "peer-v08.db",
  "peer-v11.db",
  "peer-v14.db",
  "peer-v16.db",
  "peer-v20.db",
  "peer-v22.db",
  "peer-v23.db",
  "peer-v26.db",
  "peer-v26-from-v22.db",
  "peer-v26-from-v04-direct.db",
  "peer-v26-from-v04-chain.db",
  "peer-v26-rebuild-pending.db",
  "peer-v30-hybrid.db",
] as const;
