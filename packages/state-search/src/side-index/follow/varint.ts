/** Reads the integers that SQLite's full-text index spells in one to nine bytes. */
export class VarintReader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  /** The next integer; NaN for one that is no exact JavaScript number, and beyond the end of the bytes. */
  next(): number {
    const { bytes } = this;
    let value = 0;
    for (let length = 1; length <= 8; length++) {
      const byte = bytes[this.at++];
      if (byte === undefined) return Number.NaN;
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) return Number.isSafeInteger(value) ? value : Number.NaN;
    }
    return Number.NaN;
  }
}
