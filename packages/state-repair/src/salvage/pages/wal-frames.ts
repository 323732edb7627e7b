import type { ByteSource } from "./byte-source.js";

/** The committed pages of a write-ahead log. */
export interface WalFrames {
  readonly pageSize: number;
  /** Offset in the log of the newest committed copy of each page. */
  readonly offsets: ReadonlyMap<number, number>;
  /** Pages of the database after the last commit. */
  readonly pageCount: number;
}

const MAGIC_LITTLE = 0x377f0682;
const MAGIC_BIG = 0x377f0683;
const HEADER = 32;
const FRAME_HEADER = 24;

/** The log's running checksum over pairs of 32-bit words, in the byte order its magic names. */
class Checksum {
  #first = 0;
  #second = 0;
  readonly #little: boolean;
  constructor(little: boolean) {
    this.#little = little;
  }
  add(bytes: Buffer, from: number, to: number): void {
    let first = this.#first;
    let second = this.#second;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = from; at < to; at += 8) {
      first = (first + view.getUint32(at, this.#little) + second) >>> 0;
      second = (second + view.getUint32(at + 4, this.#little) + first) >>> 0;
    }
    this.#first = first;
    this.#second = second;
  }
  equals(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#first && bytes.readUInt32BE(at + 4) === this.#second;
  }
}

interface LogHeader {
  readonly pageSize: number;
  readonly salts: Buffer;
  readonly checksum: Checksum;
}

function readHeader(log: ByteSource): LogHeader | undefined {
  const header = log.read(0, HEADER);
  if (header.length < HEADER) return undefined;
  const magic = header.readUInt32BE(0);
  if (magic !== MAGIC_LITTLE && magic !== MAGIC_BIG) return undefined;
  const pageSize = header.readUInt32BE(8);
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) return undefined;
  const checksum = new Checksum(magic === MAGIC_LITTLE);
  checksum.add(header, 0, 24);
  if (!checksum.equals(header, 24)) return undefined;
  return { pageSize, salts: Buffer.from(header.subarray(16, 24)), checksum };
}

/**
 * Reads a write-ahead log as the engine would: frames count while their salts and running checksums hold, up to the
 * last commit.
 *
 * @returns Undefined when there is no valid log, or nothing was committed in it.
 */
export function readWalFrames(log: ByteSource): WalFrames | undefined {
  const header = readHeader(log);
  if (!header) return undefined;
  const { pageSize, salts, checksum } = header;
  const offsets = new Map<number, number>();
  let pending: [number, number][] = [];
  let pageCount = 0;
  const step = FRAME_HEADER + pageSize;
  for (let at = HEADER; at + step <= log.size; at += step) {
    const frame = log.read(at, step);
    if (frame.length < step || !frame.subarray(8, 16).equals(salts)) break;
    checksum.add(frame, 0, 8);
    checksum.add(frame, FRAME_HEADER, step);
    if (!checksum.equals(frame, 16)) break;
    pending.push([frame.readUInt32BE(0), at + FRAME_HEADER]);
    const committed = frame.readUInt32BE(4);
    if (committed === 0) continue;
    for (const [page, offset] of pending) offsets.set(page, offset);
    pending = [];
    pageCount = committed;
  }
  return pageCount === 0 ? undefined : { pageSize, offsets, pageCount };
}
