import type { ForeignFormat } from "./foreign-format.js";
import { StoredUids } from "./stored-uids.js";

/** What the store holds of each format, read once per import however many files it has. */
export class FormatUids {
  readonly #byName = new Map<string, StoredUids>();

  of(format: ForeignFormat): StoredUids {
    let stored = this.#byName.get(format.name);
    if (!stored) this.#byName.set(format.name, (stored = new StoredUids(format)));
    return stored;
  }
}
