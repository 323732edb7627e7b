/** Windows of these lengths are told apart; a longer byte string stands for its beginning. */
const LENGTHS = [6, 7, 8, 9, 10, 11, 12, 16, 24, 48] as const;

/** What every needle has at least: fewer bytes would be found by chance. */
export const NEEDLE_BYTES: number = LENGTHS[0];

const LONGEST = 48;

/** What one set takes: 2^21 needles in some 60 MiB, however much there is to look for. */
const MOST_NEEDLES = 2_097_152;
const FIRST_SLOTS = 4_096;
/** One bit per hashed beginning: of all places in a file, few have theirs set. */
const FILTER_BITS = 26;

/** A needle as it is kept: where its beginning falls into the filter, and two hashes. */
const WORDS = 3;
const ENTRY_BYTES = WORDS * 4;

const EMPTY = 0;
const LIVE = 1;
const DROPPED = 2;

/** How full a set is, of what it takes. */
export type Room = "plenty" | "little" | "least" | "none";

const FNV = 0x01000193;
const GOLDEN = 0x9e3779b1;

function filterPlace(bytes: Uint8Array, at: number): number {
  const first =
    (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
  const second = (bytes[at + 4] ?? 0) | ((bytes[at + 5] ?? 0) << 8);
  const mixed = Math.imul(first ^ Math.imul(second + 1, GOLDEN), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> (32 - FILTER_BITS);
}

/** Spreads the state of a hash over all its bits. */
function spread(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * Looks for millions of byte strings in one pass, at bounded memory: it keeps hashes and not the strings, which are
 * what must not be kept (POR-06). A chance match of 64 bits counts as found, so that an error is never a false "clean".
 */
export class FingerprintSet {
  readonly #filter = new Int32Array(2 ** (FILTER_BITS - 5));
  #entries: Uint32Array = new Uint32Array(FIRST_SLOTS * WORDS);
  #states: Uint8Array = new Uint8Array(FIRST_SLOTS);
  #used = 0;
  #live = 0;
  readonly #most: number;

  /** @param most - How many needles it takes. */
  constructor(most: number = MOST_NEEDLES) {
    this.#most = most;
  }

  /** How many needles there are to be found. */
  get size(): number {
    return this.#live;
  }

  /** How many bytes of one piece the next one must begin with, so that nothing between two pieces is missed. */
  get overlap(): number {
    return LONGEST - 1;
  }

  /** Whoever fills the set is asked to be sparing before it is full, so that a bit of everything fits. */
  get room(): Room {
    if (this.#used >= this.#most) return "none";
    if (this.#used >= this.#most * 0.75) return "least";
    return this.#used >= this.#most * 0.5 ? "little" : "plenty";
  }

  /** Adds a byte string; one below {@link NEEDLE_BYTES} bytes is not taken, and none when the set is full. */
  add(bytes: Uint8Array): void {
    const length = LENGTHS.findLast((candidate) => candidate <= bytes.length);
    if (length === undefined) return;
    this.#walk(bytes, 0, bytes.length, (at, first, second) => {
      if (at === length) this.#insert(filterPlace(bytes, 0), first, second);
    });
  }

  /** Calls `onFound` with the number of each needle in `bytes`, as often as it is there. */
  scan(bytes: Uint8Array, onFound: (needle: number) => void): void {
    const last = bytes.length - NEEDLE_BYTES;
    for (let at = 0; at <= last; at++) {
      const place = filterPlace(bytes, at);
      if (((this.#filter[place >>> 5] ?? 0) & (1 << (place & 31))) === 0) continue;
      this.#walk(bytes, at, Math.min(at + LONGEST, bytes.length), (_length, first, second) => {
        const slot = this.#find(first, second);
        if (this.#states[slot] === LIVE) onFound(slot);
      });
    }
  }

  /** Needles that these bytes hold are looked for no more: they tell nothing. */
  drop(bytes: Uint8Array): void {
    this.scan(bytes, (slot) => {
      if (this.#states[slot] === LIVE) this.#live -= 1;
      this.#states[slot] = DROPPED;
    });
  }

  /** What is looked for, as bytes that {@link FingerprintSet.addEntries} takes. */
  toEntries(): Buffer {
    const bytes = Buffer.alloc(this.#live * ENTRY_BYTES);
    let at = 0;
    for (let slot = 0; slot < this.#states.length; slot++) {
      if (this.#states[slot] !== LIVE) continue;
      for (let word = 0; word < WORDS; word++) at = bytes.writeUInt32LE(this.#entries[slot * WORDS + word] ?? 0, at);
    }
    return bytes;
  }

  /** Adds what {@link FingerprintSet.toEntries} gave. */
  addEntries(bytes: Buffer): void {
    for (let at = 0; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES) {
      this.#insert(bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4), bytes.readUInt32LE(at + 8));
    }
  }

  /** Hashes the bytes from `start` on, and reports at each length that a needle may have. */
  #walk(bytes: Uint8Array, start: number, end: number, report: Report): void {
    let first = 0x811c9dc5;
    let second = GOLDEN;
    let next = 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      first = Math.imul(first ^ byte, FNV);
      second = Math.imul((second ^ (second >>> 13)) + byte, GOLDEN);
      const length = at - start + 1;
      if (length !== LENGTHS[next]) continue;
      next += 1;
      report(length, spread(first ^ length), spread(second + length));
    }
  }

  /** The slot of a needle, or the free one where it would go. */
  #find(first: number, second: number): number {
    const mask = this.#states.length - 1;
    for (let slot = first & mask; ; slot = (slot + 1) & mask) {
      if (this.#states[slot] === EMPTY) return slot;
      if (this.#entries[slot * WORDS + 1] === first && this.#entries[slot * WORDS + 2] === second) return slot;
    }
  }

  #insert(place: number, first: number, second: number): void {
    let slot = this.#find(first, second);
    if (this.#states[slot] !== EMPTY || this.#used >= this.#most) return;
    if (this.#used * 2 >= this.#states.length) {
      this.#grow();
      slot = this.#find(first, second);
    }
    this.#put(slot, place, first, second, LIVE);
    this.#used += 1;
    this.#live += 1;
    this.#filter[place >>> 5] = (this.#filter[place >>> 5] ?? 0) | (1 << (place & 31));
  }

  #put(slot: number, place: number, first: number, second: number, state: number): void {
    this.#entries[slot * WORDS] = place;
    this.#entries[slot * WORDS + 1] = first;
    this.#entries[slot * WORDS + 2] = second;
    this.#states[slot] = state;
  }

  #grow(): void {
    const [entries, states] = [this.#entries, this.#states];
    this.#entries = new Uint32Array(entries.length * 2);
    this.#states = new Uint8Array(states.length * 2);
    for (let slot = 0; slot < states.length; slot++) {
      const state = states[slot] ?? EMPTY;
      if (state === EMPTY) continue;
      const at = slot * WORDS;
      const [place = 0, first = 0, second = 0] = entries.subarray(at, at + WORDS);
      this.#put(this.#find(first, second), place, first, second, state);
    }
  }
}

type Report = (length: number, first: number, second: number) => void;
