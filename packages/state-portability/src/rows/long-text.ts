import type { Reader } from "@hermes/state-schema";
import { quoteName } from "./quote-name.js";
import type { Cell } from "./raw-row.js";

const REPLACEMENT = "\uFFFD";
const TRAILING = /\uFFFD+$/u;

/** Texts above so many bytes are worth reading piece by piece. */
export const LONG_TEXT_BYTES: number = 16 * 1024;

/** Every piece costs a walk along the whole text, so there are not too many of them. */
const MOST_PIECES = 32;

/** The text is not valid UTF-8, so only its bytes say what it is. */
export class NotUtf8 extends Error {}

/**
 * A stored text that is read piece by piece when it is asked for, so that a long one never has to be in memory as a
 * whole. Good inside the read it was made in.
 */
export class LongText {
  /** @param bytes - Its length as UTF-8. */
  constructor(
    private readonly r: Reader,
    private readonly column: string,
    private readonly messageId: number,
    private readonly bytes: number,
  ) {}

  /**
   * The pieces, which never part a character.
   *
   * @throws NotUtf8, maybe after some pieces.
   */
  *pieces(): Generator<string> {
    const size = Math.max(LONG_TEXT_BYTES, Math.ceil(this.bytes / MOST_PIECES));
    for (let from = 0; from < this.bytes;) {
      const read = this.#text(from, size);
      // A character that the end of the piece cuts reads as a replacement; it comes whole with the next one.
      const piece = from + size < this.bytes ? read.replace(TRAILING, "") : read;
      const length = Buffer.byteLength(piece, "utf8");
      if (length === 0 || (piece.includes(REPLACEMENT) && !this.#isStored(piece, from, length))) throw new NotUtf8();
      yield piece;
      from += length;
    }
  }

  #text(from: number, size: number): string {
    const sql = `SELECT CAST(substr(CAST(${quoteName(this.column)} AS BLOB), ?, ?) AS TEXT) AS piece
      FROM messages WHERE id = ?`;
    return this.r.get<{ piece: string }>(sql, [from + 1, size, this.messageId])?.piece ?? "";
  }

  #isStored(piece: string, from: number, length: number): boolean {
    const sql = `SELECT substr(CAST(${quoteName(this.column)} AS BLOB), ?, ?) AS bytes FROM messages WHERE id = ?`;
    const stored = this.r.get<{ bytes: Uint8Array }>(sql, [from + 1, length, this.messageId])?.bytes;
    return stored !== undefined && Buffer.from(piece, "utf8").equals(stored);
  }
}

/** A row with long texts that are yet to be read. */
export type PiecedRow = Readonly<Record<string, Cell | LongText>>;
