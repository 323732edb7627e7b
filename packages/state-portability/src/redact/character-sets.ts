/** Beyond ASCII a few stand for all: a wide space, letters of several scripts, a sign, a lone surrogate. */
const BEYOND_ASCII = [
  0xa0, 0xb7, 0xc9, 0xdf, 0xe9, 0x17f, 0x212a, 0x416, 0x5d0, 0x4e2d, 0x2028, 0x20ac, 0xd800, 0xfffd,
];

/** Which characters the single-character parts of one pattern match, as sets that can be compared. */
export class CharacterSets {
  readonly #alphabet: readonly string[];
  readonly #flags: string;
  readonly #known = new Map<string, bigint>();

  constructor({ source, flags }: RegExp) {
    const own = Array.from(source, (character) => character.codePointAt(0) ?? 0).filter((point) => point > 0x7f);
    const points = [...Array.from({ length: 0x80 }, (_, point) => point), ...new Set([...BEYOND_ASCII, ...own])];
    this.#alphabet = points.map((point) => String.fromCodePoint(point));
    this.#flags = flags.replace(/[dgmy]/g, "");
  }

  /** The set of a class, an escape or a literal, one bit for each character of the alphabet. */
  of(source: string): bigint {
    const known = this.#known.get(source);
    if (known !== undefined) return known;
    const pattern = new RegExp(`^(?:${source})$`, this.#flags);
    const bits = this.#alphabet.map((character) => (pattern.test(character) ? "1" : "0")).join("");
    const set = BigInt(`0b${bits}`);
    this.#known.set(source, set);
    return set;
  }
}
