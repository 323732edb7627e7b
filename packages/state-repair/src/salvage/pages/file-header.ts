/** How the text of a database is stored. */
export type TextEncoding = "utf8" | "utf16le" | "utf16be";

/** The fields of the file header that salvage needs; each on its own, since each may be damaged. */
export interface FileHeader {
  /** A power of two from 512 to 65536, or undefined when the field is nonsense. */
  readonly pageSize: number | undefined;
  /** Bytes at the end of every page that hold no data. */
  readonly reserved: number | undefined;
  readonly encoding: TextEncoding | undefined;
  /** First page of the freelist; 0 when it is empty, undefined when the field cannot be trusted. */
  readonly freelistTrunk: number | undefined;
}

const MAGIC = Buffer.from("SQLite format 3\0", "latin1");
const ENCODINGS: readonly (TextEncoding | undefined)[] = [undefined, "utf8", "utf16le", "utf16be"];
const NOTHING: FileHeader = {
  pageSize: undefined,
  reserved: undefined,
  encoding: undefined,
  freelistTrunk: undefined,
};

/** Page sizes a database can have. */
export const PAGE_SIZES: readonly number[] = [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];

/** Reads the header from the first page's bytes; every field undefined when they are no header. */
export function parseFileHeader(first: Buffer): FileHeader {
  if (first.length < 100 || !first.subarray(0, 16).equals(MAGIC)) return NOTHING;
  const declared = first.readUInt16BE(16);
  const pageSize = declared === 1 ? 65_536 : declared;
  const reserved = first.readUInt8(20);
  return {
    pageSize: PAGE_SIZES.includes(pageSize) ? pageSize : undefined,
    reserved: reserved <= 32 || pageSize - reserved >= 480 ? reserved : undefined,
    encoding: ENCODINGS[first.readUInt32BE(56)],
    freelistTrunk: first.readUInt32BE(32),
  };
}
