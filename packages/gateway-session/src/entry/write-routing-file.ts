import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncFolder, systemClock, systemRandom, writePrivateFile } from "@hermes/state-core";
import type { Clock, JsonObject, Random } from "@hermes/state-core";

const README = "A copy of the gateway's routes for older programs. The database decides; what is changed here is lost.";
const DRAFT = /\.[0-9a-f]{16}\.draft$/;
/** A draft this old was left by a process that is gone. */
const LEFT_SECONDS = 3600;

/** What a writer of routing files works with. */
export interface RoutingFileOptions {
  readonly clock?: Clock;
  readonly random?: Random;
}

/** Deletes what killed writers of the same file left. */
function sweep(path: string, clock: Clock): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(path)}.`) || !DRAFT.test(name)) continue;
    const changed = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs;
    if (changed !== undefined && clock.now() - changed / 1000 > LEFT_SECONDS)
      rmSync(join(folder, name), { force: true });
  }
}

/**
 * Writes the routes as older gateways keep them (`sessions.json`), for programs that still read that file. The file is
 * the old one or the new one at any moment, and for its owner only; its first key is a remark.
 *
 * @param entries - As {@link encodeEntry} gives them, by key.
 * @throws What the file system says; the old file then stands as it was. Source of the rule: GWS-02.
 */
export function writeRoutingFile(
  path: string,
  entries: ReadonlyMap<string, JsonObject>,
  options: RoutingFileOptions = {},
): void {
  const { clock = systemClock, random = systemRandom } = options;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  sweep(path, clock);
  const draft = `${path}.${random.hex(8)}.draft`;
  try {
    writePrivateFile(draft, JSON.stringify(Object.fromEntries([["_README", README], ...entries]), null, 2));
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}
