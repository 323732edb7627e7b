import { createHash } from "node:crypto";
import type { StoreInfo } from "@hermes/state-core";
import { META_KEYS, type Reader } from "@hermes/state-schema";
import type { Followed } from "./follow/followed.js";

/** Bumped when what is kept of a message, or how, changes: what was made by other rules is made anew. */
const FORMAT = 1;

/** The rules that the tokens were cut by: they depend on what the runtime knows of Unicode. */
export const SCISSORS: string = `${String(FORMAT)}/${process.versions.unicode ?? "none"}`;

function versionOf(scissors: string): readonly number[] {
  return scissors.split(/[/.]/).map(Number);
}

/** Made by a newer version of the rules: it is left to the processes that know them. */
export function isNewer(scissors: string): boolean {
  const ours = versionOf(SCISSORS);
  const theirs = versionOf(scissors);
  const at = ours.findIndex((part, index) => part !== theirs[index]);
  return at !== -1 && (theirs[at] ?? 0) > (ours[at] ?? 0);
}

/** How far a side index has come. */
export interface SideState {
  readonly scissors: string;
  /** Which store, and which life of its file, it belongs to. */
  readonly store: string;
  /** Messages up to this id are held, apart from those that may have changed; undefined for none. */
  readonly covered: number | undefined;
  readonly followed: Followed | undefined;
}

const IDENTITY = `
  SELECT key, value FROM state_meta
  WHERE key IN ('${META_KEYS.dbFileGeneration.key}', '${META_KEYS.storeInstanceId.key}') ORDER BY key`;

/** Names the store and this life of its file, short. */
export function storeMark(r: Reader, { generation }: StoreInfo): string {
  const tokens = r.tuples<[string, string]>(IDENTITY);
  return createHash("sha1")
    .update(JSON.stringify([generation.inode, tokens]))
    .digest("base64");
}

/** Reads a state as it was written; undefined for anything else. */
export function parseState(text: unknown): SideState | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const state = JSON.parse(text) as Partial<SideState> | null;
    if (typeof state?.scissors !== "string" || typeof state.store !== "string") return undefined;
    const { scissors, store, covered, followed } = state;
    if (covered !== undefined && !Number.isSafeInteger(covered)) return undefined;
    if (followed !== undefined && !Array.isArray(followed.segments)) return undefined;
    return { scissors, store, covered, followed };
  } catch {
    // Not what this code writes: the file is damaged, and its owner discards it.
    return undefined;
  }
}
