import { existsSync } from "node:fs";
import { type ByteSource, openBytes } from "./byte-source.js";
import { type FileHeader, parseFileHeader } from "./file-header.js";
import { inferPageSize } from "./infer-page-size.js";
import { inferReserved } from "./infer-reserved.js";
import { readWalFrames, type WalFrames } from "./wal-frames.js";

/** A database file as numbered pages, the committed frames of its log applied. */
export interface PageFile extends Disposable {
  readonly pageSize: number;
  /** Page size less the reserved bytes. */
  readonly usable: number;
  readonly pageCount: number;
  readonly header: FileHeader;
  /** True when page size and reserved bytes are what the header says. */
  readonly geometryDeclared: boolean;
  /** Pages that came from the log. */
  readonly walPages: number;
  /** The bytes of a page, padded with NUL where the file was cut; undefined beyond the file. */
  page(number: number): Buffer | undefined;
}

class OpenedPages implements PageFile {
  readonly header: FileHeader;
  readonly pageCount: number;
  readonly usable: number;
  readonly geometryDeclared: boolean;
  constructor(
    private readonly main: ByteSource,
    private readonly log: ByteSource | undefined,
    private readonly frames: WalFrames | undefined,
    readonly pageSize: number,
  ) {
    this.pageCount = Math.max(Math.ceil(main.size / pageSize), frames?.pageCount ?? 0);
    this.header = parseFileHeader(this.page(1) ?? Buffer.alloc(0));
    const reserved = inferReserved(this, this.header.reserved);
    this.usable = pageSize - reserved;
    this.geometryDeclared = this.header.pageSize === pageSize && this.header.reserved === reserved;
  }
  get walPages(): number {
    return this.frames?.offsets.size ?? 0;
  }

  page(number: number): Buffer | undefined {
    if (number < 1 || number > this.pageCount) return undefined;
    const frame = this.frames?.offsets.get(number);
    if (frame !== undefined && this.log) return this.log.read(frame, this.pageSize);
    const bytes = this.main.read((number - 1) * this.pageSize, this.pageSize);
    if (bytes.length === this.pageSize) return bytes;
    if (bytes.length === 0) return undefined;
    const padded = Buffer.alloc(this.pageSize);
    bytes.copy(padded);
    return padded;
  }

  [Symbol.dispose](): void {
    this.main[Symbol.dispose]();
    this.log?.[Symbol.dispose]();
  }
}

/** What there is to read: the database, and its log when there is one. */
export interface PageSources {
  readonly main: string | Uint8Array;
  /** The log's bytes or path; the file beside a path when not given. */
  readonly wal?: string | Uint8Array | undefined;
}

function openLog({ main, wal }: PageSources): ByteSource | undefined {
  const source = wal ?? (typeof main === "string" && existsSync(`${main}-wal`) ? `${main}-wal` : undefined);
  return source === undefined ? undefined : openBytes(source);
}

/**
 * Opens a database for reading its pages, whatever state its header is in.
 *
 * @returns Undefined when neither header, log nor content tells a page size: there is nothing of a database in it.
 */
export function openPages(sources: PageSources): PageFile | undefined {
  const main = openBytes(sources.main);
  const log = openLog(sources);
  const frames = log && readWalFrames(log);
  const header = parseFileHeader(main.read(0, 100));
  const pageSize = frames?.pageSize ?? inferPageSize(main, header.pageSize);
  if (pageSize !== undefined) return new OpenedPages(main, log, frames, pageSize);
  main[Symbol.dispose]();
  log?.[Symbol.dispose]();
  return undefined;
}
