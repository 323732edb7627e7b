import type { StoreContext } from "../store/context.js";

/** One fact about the file. */
export interface MetaEntry {
  readonly key: string;
  readonly value: string | null;
}

const SELECT_VALUE = "SELECT value FROM state_meta WHERE key = ?";
const SELECT_PREFIX = "SELECT key, value FROM state_meta WHERE substr(key, 1, ?) = ? ORDER BY key";
const UPSERT = `
  INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
const DELETE = "DELETE FROM state_meta WHERE key = ?";

function checkText(what: string, value: unknown): void {
  if (typeof value !== "string") throw new TypeError(`meta: ${what} must be a string, not ${typeof value}.`);
}

/**
 * Facts about the file as keys and text (`state_meta`). Keys of other programs live beside ours and are never touched
 * unless they are named (COR-36).
 */
export class Meta {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** The value of a key; undefined when there is none, null when the file holds NULL under it. */
  get(key: string): string | null | undefined {
    checkText("key", key);
    return this.#context.read((r) => r.get<MetaEntry>(SELECT_VALUE, [key]))?.value;
  }

  /** Sets a key. All values of the file are text: spell numbers in decimal. */
  set(key: string, value: string): void {
    checkText("key", key);
    checkText("value", value);
    this.#context.write("set a meta key", (w) => w.run(UPSERT, [key, value]));
  }

  /**
   * Removes a key.
   *
   * @returns Whether there was one.
   */
  delete(key: string): boolean {
    checkText("key", key);
    return this.#context.write("delete a meta key", (w) => w.run(DELETE, [key]).changes > 0);
  }

  /**
   * All keys in order.
   *
   * @param prefix - Only keys that begin with it, literally.
   */
  list(prefix = ""): readonly MetaEntry[] {
    checkText("prefix", prefix);
    return this.#context.read((r) => r.all<MetaEntry>(SELECT_PREFIX, [Array.from(prefix).length, prefix]));
  }
}
