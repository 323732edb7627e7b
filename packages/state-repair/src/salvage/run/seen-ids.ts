const BITS = 4096;

/** A set of ids that mostly come close together: one bit each. */
export class SeenIds {
  readonly #blocks = new Map<number, Uint32Array>();

  /** @returns False when the id was there. */
  add(id: number): boolean {
    const key = Math.floor(id / BITS);
    let block = this.#blocks.get(key);
    if (!block) this.#blocks.set(key, (block = new Uint32Array(BITS / 32)));
    const bit = id - key * BITS;
    const word = bit >> 5;
    const mask = 1 << (bit & 31);
    const before = block[word] ?? 0;
    if ((before & mask) !== 0) return false;
    block[word] = before | mask;
    return true;
  }
}
