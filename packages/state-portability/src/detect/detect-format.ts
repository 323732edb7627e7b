import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import type { FileHead } from "../foreign/foreign-format.js";
import { FOREIGN_FORMATS } from "../foreign/foreign-formats.js";
import type { ImportFormatName } from "../import/import-reader.js";
import { STATE_JSONL_FORMAT } from "../state-jsonl/records.js";

/** What a file seems to be. `sqlite` is a database, which is opened and not imported. */
export type DetectedFormat = ImportFormatName | "sqlite" | "empty" | "unknown";

/** A first look is enough for most files; a first line with a picture in it takes a second one. */
const HEAD_BYTES = [64 * 1024, 16 * 1024 * 1024] as const;
const SQLITE_MAGIC = "SQLite format 3\0";

/**
 * Judges a file by its beginning: 64 KiB, or 16 MiB when those do not tell.
 *
 * @param path - A file that no connection of this process has open; a store's own file must be refused by the caller
 * first.
 * @param name - What the file is called, when `path` is a copy of it.
 */
export function detectFormat(path: string, name: string = path): DetectedFormat {
  let found: DetectedFormat = "unknown";
  for (const bytes of HEAD_BYTES) {
    const head = readHead(path, bytes);
    found = judge(head, name);
    if (found !== "unknown" || head.length < bytes) break;
  }
  return found;
}

function judge(head: Buffer, name: string): DetectedFormat {
  if (head.length === 0) return "empty";
  if (head.toString("latin1", 0, SQLITE_MAGIC.length) === SQLITE_MAGIC) return "sqlite";
  const text = head
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart();
  if (text === "") return "empty";
  const end = text.indexOf("\n");
  const own = detectOwn(end < 0 ? text : text.slice(0, end));
  return own ?? detectForeign({ name: basename(name), text, lines: wholeLines(text) });
}

function readHead(path: string, bytes: number): Buffer {
  const descriptor = openSync(path, "r");
  try {
    const head = Buffer.alloc(Math.min(bytes, fstatSync(descriptor).size));
    let filled = 0;
    for (let read = -1; read !== 0 && filled < head.length; filled += read)
      read = readSync(descriptor, head, filled, head.length - filled, filled);
    return head.subarray(0, filled);
  } finally {
    closeSync(descriptor);
  }
}

/** A long session may be cut by the window, so the peer's line is known by its opening and not by parsing it. */
function detectOwn(line: string): "jsonl" | "peer" | undefined {
  if (!line.startsWith("{")) return undefined;
  const opening = line.slice(0, 512);
  if (opening.includes('"type":"header"') && opening.includes(`"format":"${STATE_JSONL_FORMAT}"`)) return "jsonl";
  if (/^\{\s*"id"\s*:\s*"/.test(opening) && /"(?:source|messages)"\s*:/.test(line)) return "peer";
  const json = parsed(line) as { id?: unknown; messages?: unknown } | undefined;
  return typeof json?.id === "string" && Array.isArray(json.messages) ? "peer" : undefined;
}

function detectForeign(head: FileHead): DetectedFormat {
  return FOREIGN_FORMATS.find((format) => format.recognises(head))?.name ?? "unknown";
}

/** The values of the lines that parse; damaged ones are judged later. */
function wholeLines(text: string): readonly unknown[] {
  return text
    .split("\n")
    .map(parsed)
    .filter((value) => value !== undefined);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    // Cut by the window, damaged, or a piece of one large document.
    return undefined;
  }
}
