import { canonicalPath } from "../connection/live-connections.js";
import { fileIdentity, sameFile } from "../files/file-identity.js";
import { openParts } from "./open-parts.js";
import { resolveOptions } from "./open-options.js";
import type { OpenOptions, ResolvedOptions } from "./open-options.js";
import { StateStore } from "./state-store.js";

/** A store with several owners: each close gives one reference back, the last one closes. */
class SharedStateStore extends StateStore {
  readonly #onLast: () => void;
  #references = 1;

  constructor(options: ResolvedOptions, onLast: (store: SharedStateStore) => void) {
    const { facts, resources } = openParts(options);
    super(facts, resources);
    this.#onLast = () => {
      onLast(this);
    };
  }

  get references(): number {
    return this.#references;
  }

  retain(): this {
    this.#references += 1;
    return this;
  }

  override close(): void {
    if (this.#references === 0) return;
    this.#references -= 1;
    if (this.#references > 0) return;
    this.#onLast();
    super.close();
  }
}

interface SharedEntry {
  readonly store: SharedStateStore;
  readonly options: ResolvedOptions;
}

const shared = new Map<string, SharedEntry>();

/** Options that one handle cannot have twice; the rest of them only matter to the first opener. */
const FIXED = ["durability", "journal"] as const;

function keyOf({ path, mode }: ResolvedOptions): string {
  return `${mode}\0${canonicalPath(path)}`;
}

/** The path still names the file that the handle has open. */
function isCurrent(store: StateStore): boolean {
  const now = fileIdentity(store.path);
  return now !== undefined && sameFile(now, store.identity);
}

function refuseOtherSettings(given: OpenOptions, entry: SharedEntry): void {
  for (const name of FIXED) {
    if (given[name] === undefined || given[name] === entry.options[name]) continue;
    throw new TypeError(
      `acquireStateStore: ${entry.store.path} is shared with ${name} "${entry.options[name]}", not "${given[name]}". ` +
        "Use the same setting everywhere, or openStateStore for a handle of your own.",
    );
  }
}

/**
 * The one handle of this process for a file and mode, counted: every holder closes (or disposes) it once, and the last
 * close closes the file. When the file was replaced since, the old handle stays with its holders and a new one is
 * opened (COR-37).
 *
 * @param path - Default as for `openStateStore`.
 * @throws TypeError for settings that differ from the shared handle's; otherwise as `openStateStore`.
 */
export function acquireStateStore(path?: string, options: Omit<OpenOptions, "path"> = {}): StateStore {
  const given: OpenOptions = path === undefined ? options : { ...options, path };
  const resolved = resolveOptions(given);
  const key = keyOf(resolved);
  const entry = shared.get(key);
  if (entry && isCurrent(entry.store)) {
    refuseOtherSettings(given, entry);
    return entry.store.retain();
  }
  const store = new SharedStateStore(resolved, (last) => {
    if (shared.get(key)?.store === last) shared.delete(key);
  });
  shared.set(key, { store, options: resolved });
  return store;
}

/** One line per shared handle: for reports, and for what runs on every long-lived handle. */
export function sharedStateStores(): { readonly store: StateStore; readonly references: number }[] {
  return [...shared.values()].map(({ store }) => ({ store, references: store.references }));
}
