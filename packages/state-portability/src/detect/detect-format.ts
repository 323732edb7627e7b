import { closeSync, openSync, readSync } from "node:fs";
import type { ImportFormatName } from "../import/import-reader.js";
import { STATE_JSONL_FORMAT } from "../state-jsonl/records.js";

/** What a file seems to be. `sqlite` is a database, which is opened and not imported. */
export type DetectedFormat = ImportFormatName | "sqlite" | "empty" | "unknown";

const HEAD_BYTES = 64 * 1024;
const SQLITE_MAGIC = "SQLite format 3\0";

/**
 * Judges a file by its first 64 KiB.
 *
 * @param path - A file that no connection of this process has open; a store's own file must be refused by the caller
 * first.
 */
export function detectFormat(path: string): DetectedFormat {
  const head = readHead(path);
  if (head.length === 0) return "empty";
  if (head.toString("latin1", 0, SQLITE_MAGIC.length) === SQLITE_MAGIC) return "sqlite";
  const text = head
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart();
  const end = text.indexOf("\n");
  return detectFirstLine(end < 0 ? text : text.slice(0, end));
}

function readHead(path: string): Buffer {
  const descriptor = openSync(path, "r");
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(descriptor, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** A long session may be cut by the window, so the peer's line is known by its opening and not by parsing it. */
function detectFirstLine(line: string): DetectedFormat {
  if (!line.startsWith("{")) return line === "" ? "empty" : "unknown";
  const opening = line.slice(0, 512);
  if (opening.includes('"type":"header"') && opening.includes(`"format":"${STATE_JSONL_FORMAT}"`)) return "jsonl";
  if (/^\{\s*"id"\s*:\s*"/.test(opening) && /"(?:source|messages)"\s*:/.test(line)) return "peer";
  return looksLikeSession(line) ? "peer" : "unknown";
}

function looksLikeSession(line: string): boolean {
  try {
    const json = JSON.parse(line) as { id?: unknown; messages?: unknown };
    return typeof json.id === "string" && Array.isArray(json.messages);
  } catch {
    // Cut by the window, or no JSON: then nothing says what it is.
    return false;
  }
}
