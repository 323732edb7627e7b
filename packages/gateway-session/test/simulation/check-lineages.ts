import { BOUNDARY_END_REASONS } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { expect } from "vitest";
import type { Conversation, Epoch } from "./conversations.js";

/** Something that is stored. */
export interface Said {
  readonly id: number;
  readonly sessionId: string;
  readonly text: string;
}

const SELECT_SAID = `
  SELECT id, session_id AS sessionId, content AS text FROM messages WHERE content NOT LIKE '[summary%' ORDER BY id`;

/** What is stored, and which conversation of the store each session belongs to. */
export class Lineages {
  readonly #byText = new Map<string, Said[]>();
  readonly #roots = new Map<string, string>();
  readonly #store: StateStore;

  constructor(store: StateStore) {
    this.#store = store;
    for (const said of store.read((r) => r.all<Said & object>(SELECT_SAID))) {
      const rows = this.#byText.get(said.text);
      if (rows) rows.push(said);
      else this.#byText.set(said.text, [said]);
    }
  }

  /** Where the rows of a text are. */
  rows(text: string): readonly Said[] {
    return this.#byText.get(text) ?? [];
  }

  get texts(): IterableIterator<string> {
    return this.#byText.keys();
  }

  /** The first segment of the conversation that a session belongs to. */
  rootOf(sessionId: string): string {
    const known = this.#roots.get(sessionId);
    if (known !== undefined) return known;
    const chain = this.#store.lineage.chain(sessionId);
    for (const segment of chain) this.#roots.set(segment, chain[0]!);
    return chain[0]!;
  }
}

function rootOfEpoch(lineages: Lineages, { acked, maybe }: Epoch): string | undefined {
  const roots = new Set<string>();
  const ids: number[] = [];
  for (const text of acked) {
    const rows = lineages.rows(text);
    expect(rows, `${text} is stored once`).toHaveLength(1);
    roots.add(lineages.rootOf(rows[0]!.sessionId));
    ids.push(rows[0]!.id);
  }
  expect(ids, "in the order they were said").toEqual([...ids].sort((a, b) => a - b));
  for (const text of maybe) {
    const rows = lineages.rows(text);
    expect(rows.length, `${text} is stored at most once`).toBeLessThan(2);
    for (const { sessionId } of rows) roots.add(lineages.rootOf(sessionId));
  }
  expect(roots.size, `one lineage for ${acked.join(", ")}`).toBeLessThan(2);
  return [...roots][0];
}

/**
 * Every acknowledged message is in exactly one lineage of its peer, in its order; what was left is ended for good; no
 * lineage and no key is of two peers.
 *
 * @returns The lineage where each conversation is now, undefined where nothing was said in it yet.
 */
export function checkLineages(
  store: StateStore,
  conversations: readonly Conversation[],
): ReadonlyMap<Conversation, string | undefined> {
  const lineages = new Lineages(store);
  const owner = new Map<string, string>();
  const keys = new Map<string, string>();
  const current = new Map<Conversation, string | undefined>();
  for (const conversation of conversations) {
    const { epochs, prefix, sessionKey } = conversation;
    if (sessionKey !== undefined) {
      expect(keys.get(sessionKey), `${sessionKey} of ${prefix}`).toBeUndefined();
      keys.set(sessionKey, prefix);
    }
    for (const [n, epoch] of epochs.entries()) {
      const root = rootOfEpoch(lineages, epoch);
      if (n === epochs.length - 1) current.set(conversation, root);
      if (root === undefined) continue;
      expect(owner.get(root), `the lineage of ${prefix} in ${String(n)}`).toBeUndefined();
      owner.set(root, prefix);
      const tip = store.sessions.get(store.lineage.tip(root));
      expect(tip.sessionKey, prefix).toBe(sessionKey ?? tip.sessionKey);
      if (n < epochs.length - 1) expect(BOUNDARY_END_REASONS, `${prefix} left it`).toContain(tip.endReason);
    }
  }
  // What a key finds of its own is its own.
  for (const [sessionKey, prefix] of keys) {
    for (const { sessionId } of store.routing.sessionsOfKey(sessionKey, 1_000).map(({ id }) => ({ sessionId: id }))) {
      const root = lineages.rootOf(sessionId);
      expect(owner.get(root) ?? prefix, sessionKey).toBe(prefix);
    }
  }
  const known = new Set(conversations.map(({ prefix }) => prefix));
  for (const text of lineages.texts) expect(known, text).toContain(text.slice(0, text.indexOf("-") + 1));
  return current;
}
