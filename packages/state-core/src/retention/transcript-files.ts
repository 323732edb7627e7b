import { readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Reader } from "@hermes/state-schema";
import { chunksOf } from "./chunks-of.js";

/** Files beside the store that went with deleted sessions. */
export interface RemovedFiles {
  readonly removed: number;
  /** Files that are there and could not be removed; the rows are gone all the same. */
  readonly failed: number;
}

/** Nothing was asked for. */
export const NO_FILES: RemovedFiles = { removed: 0, failed: 0 };

const DUMP_PREFIX = "request_dump_";
const DUMP_SUFFIX = ".json";

/** The gateway's own file in the same folder. */
const NO_TRANSCRIPT = "sessions.json";

const KNOWN = "SELECT id FROM sessions WHERE id IN (SELECT value FROM json_each(?))";

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // No such folder, or none of ours: then there are no files to remove.
    return [];
  }
}

/** The ids a dump may belong to, the longest first: ids may hold the character that ends them. */
function possibleOwners(name: string): string[] {
  if (!name.startsWith(DUMP_PREFIX) || !name.endsWith(DUMP_SUFFIX)) return [];
  const rest = name.slice(DUMP_PREFIX.length, -DUMP_SUFFIX.length);
  const owners: string[] = [];
  for (let end = rest.lastIndexOf("_"); end > 0; end = rest.lastIndexOf("_", end - 1)) owners.push(rest.slice(0, end));
  return owners;
}

function livingAmong(r: Reader, ids: Iterable<string>): ReadonlySet<string> {
  const living = new Set<string>();
  for (const chunk of chunksOf([...new Set(ids)])) {
    for (const { id } of r.all<{ id: string }>(KNOWN, [JSON.stringify(chunk)])) living.add(id);
  }
  return living;
}

/** Names come from the folder itself, so no id can lead out of it. */
function namesOf(r: Reader, folder: string, deleted: ReadonlySet<string>): string[] {
  const files = listFolder(folder).flatMap((name) => {
    const own = name === NO_TRANSCRIPT ? undefined : /^(.+)\.jsonl?$/s.exec(name)?.[1];
    return own !== undefined && deleted.has(own) ? [{ name, owners: [own] }] : [{ name, owners: possibleOwners(name) }];
  });
  const living = livingAmong(r, files.flatMap(({ owners }) => owners));
  return files.flatMap(({ name, owners }) => {
    const owner = owners.find((id) => living.has(id) || deleted.has(id));
    return owner === undefined || living.has(owner) ? [] : [name];
  });
}

/**
 * Removes the transcripts and request dumps of sessions that are gone, from one folder and nowhere else. Links are
 * removed, not followed. What a living session may own stays.
 *
 * @param r - Sees the store after the deletion.
 */
export function removeTranscripts(r: Reader, folder: string, deletedIds: readonly string[]): RemovedFiles {
  let removed = 0;
  let failed = 0;
  for (const name of namesOf(r, folder, new Set(deletedIds))) {
    try {
      unlinkSync(join(folder, name));
      removed += 1;
    } catch (error) {
      if (!isMissing(error)) failed += 1;
    }
  }
  return { removed, failed };
}
