/** A position in bytes, and what was read there; one object serves many reads. */
export interface VarintCursor {
  at: number;
}

const HIGH = 2 ** 32;

/**
 * Reads a variable-length integer of 1 to 9 bytes and moves the cursor behind it.
 *
 * @returns The signed value; NaN when the bytes end before it does, or when it is beyond 2^53.
 */
export function readVarint(bytes: Buffer, cursor: VarintCursor): number {
  const first = bytes[cursor.at];
  if (first === undefined) return Number.NaN;
  if (first < 0x80) {
    cursor.at += 1;
    return first;
  }
  return readLong(bytes, cursor);
}

function readLong(bytes: Buffer, cursor: VarintCursor): number {
  let value = 0;
  for (let index = 0; index < 8; index += 1) {
    const byte = bytes[cursor.at];
    if (byte === undefined) return Number.NaN;
    cursor.at += 1;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return value > Number.MAX_SAFE_INTEGER ? Number.NaN : value;
  }
  return readNinth(bytes, cursor);
}

/** Nine bytes carry 64 bits; what is negative comes this way. */
function readNinth(bytes: Buffer, cursor: VarintCursor): number {
  const start = cursor.at - 8;
  let high = 0;
  let low = 0;
  for (let index = 0; index < 8; index += 1) {
    const carried = low * 128 + ((bytes[start + index] ?? 0) & 0x7f);
    low = carried % HIGH;
    high = high * 128 + Math.floor(carried / HIGH);
  }
  const last = bytes[cursor.at];
  if (last === undefined) return Number.NaN;
  cursor.at += 1;
  const carried = low * 256 + last;
  const value = BigInt.asIntN(64, (BigInt(high * 256 + Math.floor(carried / HIGH)) << 32n) | BigInt(carried % HIGH));
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : Number.NaN;
}
