/** What every needle has at least: fewer bytes would be found by chance. */
export const NEEDLE_BYTES = 6;

const FILTER_SIZE = 65_536;
const HIGH = 4_294_967_296;

interface Needle {
  readonly id: number;
  readonly bytes: Buffer;
}

function head(bytes: Buffer, at: number): number {
  return (
    ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>> 0
  );
}

function tail(bytes: Buffer, at: number): number {
  return (bytes[at + 4] ?? 0) | ((bytes[at + 5] ?? 0) << 8);
}

function slot(first: number, second: number): number {
  return (first ^ (first >>> 16) ^ (second * 31)) & (FILTER_SIZE - 1);
}

/** Looks for thousands of byte strings in one pass. */
export class NeedleSet {
  readonly #filter = new Uint8Array(FILTER_SIZE);
  readonly #byHead = new Map<number, Needle[]>();
  readonly #longest: number;
  /** How many there are. */
  readonly size: number;

  /** @param needles - What is looked for; each has at least {@link NEEDLE_BYTES} bytes. The index is its number. */
  constructor(needles: readonly Buffer[]) {
    this.size = needles.length;
    this.#longest = needles.reduce((most, { length }) => Math.max(most, length), NEEDLE_BYTES);
    needles.forEach((bytes, id) => {
      const [first, second] = [head(bytes, 0), tail(bytes, 0)];
      const key = second * HIGH + first;
      this.#filter[slot(first, second)] = 1;
      this.#byHead.set(key, [...(this.#byHead.get(key) ?? []), { id, bytes }]);
    });
  }

  /** How many bytes of one piece the next one must begin with, so that nothing between two pieces is missed. */
  get overlap(): number {
    return this.#longest - 1;
  }

  /** Adds the numbers of the needles that `bytes` holds to `found`. */
  scan(bytes: Buffer, found: Set<number>): void {
    const last = bytes.length - NEEDLE_BYTES;
    for (let at = 0; at <= last; at++) {
      const first = head(bytes, at);
      const second = tail(bytes, at);
      if (this.#filter[slot(first, second)] === 0) continue;
      for (const { id, bytes: needle } of this.#byHead.get(second * HIGH + first) ?? []) {
        const fits = at + needle.length <= bytes.length;
        if (fits && !found.has(id) && needle.compare(bytes, at, at + needle.length) === 0) found.add(id);
      }
    }
  }
}
