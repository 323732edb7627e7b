import { isUtf8 } from "node:buffer";
import type { TextEncoding } from "../pages/file-header.js";

/** A text, and whether all of it could be read. */
export interface DecodedText {
  readonly text: string;
  readonly damaged: boolean;
}

/** So many NUL bytes at the end of a text are a torn page, not something that somebody wrote. */
const TORN = 32;
const FEW_WRONG = 8;
const REPLACEMENT = "\ufffd";

/** The longest beginning of bytes that is UTF-8, cut before the first byte that is not. */
function validPrefix(bytes: Buffer): string {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    // A cut inside a character is no fault of the bytes before it.
    if (isUtf8(trimPartial(bytes.subarray(0, middle)))) low = middle;
    else high = middle - 1;
  }
  return trimPartial(bytes.subarray(0, low)).toString("utf8");
}

/** Drops a character that was cut at the end: up to three bytes of it. */
function trimPartial(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** A few wrong bytes are marked where they stand; more than that is not text. */
function isMostlyText(text: string): boolean {
  const wrong = text.split(REPLACEMENT).length - 1;
  return wrong <= FEW_WRONG || wrong * 100 <= text.length;
}

function lossyText(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return !text.includes(REPLACEMENT) || isMostlyText(text) ? text : validPrefix(bytes);
}

function withoutTornEnd(text: string): DecodedText {
  if (text.charCodeAt(text.length - 1) !== 0) return { text, damaged: false };
  const kept = text.replace(/\0+$/, "");
  return text.length - kept.length < TORN ? { text, damaged: false } : { text: kept, damaged: true };
}

function decodeWide(bytes: Buffer, encoding: TextEncoding): string {
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
  return encoding === "utf16le" ? even.toString("utf16le") : Buffer.from(even).swap16().toString("utf16le");
}

/**
 * Decodes a text cell. What was overwritten is not passed off as text: it ends before the first bytes that cannot have
 * been written.
 *
 * @param cut - True when bytes behind `end` are lost.
 */
export function decodeText(
  bytes: Buffer,
  start: number,
  end: number,
  encoding: TextEncoding,
  cut: boolean,
): DecodedText {
  if (encoding !== "utf8") return { ...withoutTornEnd(decodeWide(bytes.subarray(start, end), encoding)), damaged: cut };
  if (cut) return { text: withoutTornEnd(lossyText(trimPartial(bytes.subarray(start, end)))).text, damaged: true };
  const text = bytes.toString("utf8", start, end);
  if (text.includes(REPLACEMENT) && !isUtf8(bytes.subarray(start, end)))
    return { text: withoutTornEnd(lossyText(bytes.subarray(start, end))).text, damaged: true };
  return withoutTornEnd(text);
}
