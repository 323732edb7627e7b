import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncFolder, writePrivateFile } from "@hermes/state-core";
import type { Random } from "@hermes/state-core";
import type { FingerprintSet } from "./fingerprint-set.js";

/** Beginning of the suffix of a record beside a store; random digits follow. */
export const PENDING_ERASURE_SUFFIX = ".erasing-";

const KIND = "hermes-state-erasure";
const VERSION = 1;
const NAME_DIGITS = 32;
const NEWLINE = 0x0a;

/** What is known of an erasure whose proof is still open. */
export interface PendingErasure {
  readonly path: string;
  /** Sessions, delegates among them. */
  readonly sessions: number;
  readonly messages: number;
  readonly startedAtSeconds: number;
  readonly unsampled: number;
  /** Whether a session of this id or title was among them. */
  names(text: string): boolean;
  /** What the bytes are searched for. */
  entries(): Buffer;
}

/** What goes into a record. */
export interface NewPendingErasure {
  /** Ids of all sessions, and titles. */
  readonly names: Iterable<string>;
  readonly sessions: number;
  readonly messages: number;
  readonly startedAtSeconds: number;
  readonly unsampled: number;
  readonly needles: FingerprintSet;
}

interface Header extends Omit<NewPendingErasure, "names" | "needles"> {
  readonly kind: string;
  readonly version: number;
  readonly salt: string;
  readonly names: readonly string[];
  /** Length and digest of what follows the header, so that a torn record is known as such. */
  readonly bytes: number;
  readonly sha256: string;
}

/** Names are kept as salted hashes: they are part of what is erased. */
function hashName(salt: string, text: string): string {
  return createHash("sha256").update(`${salt}\0${text}`).digest("hex").slice(0, NAME_DIGITS);
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Writes down what an erasure is about to take away, as hashes alone: killed behind its deletion, it can be finished
 * and proven by the next run (POR-06). On disk when this returns.
 *
 * @param storePath - Canonical path of the store.
 * @returns The path of the record.
 */
export function writePendingErasure(storePath: string, random: Random, erasure: NewPendingErasure): string {
  const { names, needles, ...counts } = erasure;
  const salt = random.hex(16);
  const entries = needles.toEntries();
  const header: Header = {
    kind: KIND,
    version: VERSION,
    ...counts,
    salt,
    names: [...new Set(names)].map((name) => hashName(salt, name)),
    bytes: entries.length,
    sha256: digest(entries),
  };
  const path = `${storePath}${PENDING_ERASURE_SUFFIX}${random.hex(8)}`;
  writePrivateFile(path, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), entries]));
  syncFolder(dirname(path));
  return path;
}

/** The records beside a store that can be read, oldest first. */
export function listPendingErasures(storePath: string): PendingErasure[] {
  return recordPaths(storePath)
    .flatMap((path) => readPendingErasure(path) ?? [])
    .sort((a, b) => a.startedAtSeconds - b.startedAtSeconds);
}

/** Records that a kill tore before their deletion began: nothing is to be done for them. */
export function tornErasures(storePath: string): string[] {
  return recordPaths(storePath).filter((path) => !readPendingErasure(path));
}

function recordPaths(storePath: string): string[] {
  const folder = dirname(storePath);
  const prefix = basename(storePath) + PENDING_ERASURE_SUFFIX;
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(folder, name));
}

function readPendingErasure(path: string): PendingErasure | undefined {
  try {
    const bytes = readFileSync(path);
    const end = bytes.indexOf(NEWLINE);
    const header = JSON.parse(bytes.subarray(0, end).toString("utf8")) as Header;
    const entries = bytes.subarray(end + 1);
    const whole = header.bytes === entries.length && header.sha256 === digest(entries);
    if (header.kind !== KIND || header.version !== VERSION || !whole) return undefined;
    const { sessions, messages, startedAtSeconds, unsampled, salt } = header;
    const names = new Set(header.names);
    const known = (text: string): boolean => names.has(hashName(salt, text));
    return { path, sessions, messages, startedAtSeconds, unsampled, names: known, entries: () => entries };
  } catch {
    // Torn by a kill before anything was deleted, or not ours: there is nothing to go on with.
    return undefined;
  }
}

/**
 * The erasures of a store that ended before their proof and named all of some sessions.
 *
 * @param texts - Ids, or titles.
 * @returns Empty when one of them is in none.
 */
export function findPendingErasures(storePath: string, texts: readonly string[]): readonly PendingErasure[] {
  const all = listPendingErasures(storePath);
  if (!texts.every((text) => all.some((pending) => pending.names(text)))) return [];
  return all.filter((pending) => texts.some((text) => pending.names(text)));
}

/** Removes records whose erasure is proven; their bytes are overwritten first. */
export function removePendingErasures(paths: Iterable<string>): void {
  for (const path of paths) {
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) continue;
    const descriptor = openSync(path, "r+");
    try {
      writeSync(descriptor, Buffer.alloc(size), 0, size, 0);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    rmSync(path, { force: true });
  }
}
