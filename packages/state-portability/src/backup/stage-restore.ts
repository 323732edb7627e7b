import { chownSync, closeSync, existsSync, fsyncSync, openSync, statSync, writeSync } from "node:fs";
import { PRIVATE_MODE, SIDECAR_SUFFIXES } from "@hermes/state-core";
import type { ProgressOptions, Random } from "@hermes/state-core";
import { backupInvalid } from "./backup-errors.js";
import { digestFile } from "./digest-file.js";
import type { FileDigest } from "./digest-file.js";
import { removeFiles } from "./private-file.js";
import { pageSizeOf, TransitionLog } from "./transition-log.js";

/** How the working files of a restore go on after the name of the store. One restore at a time has the repair lock. */
const STAGING = ".restore-staging";

/** What was copied beside a store. */
export interface StagedRestore {
  readonly main: string;
  /** The same content as a log; undefined where there is no store, or none with a log or a journal. */
  readonly log: string | undefined;
}

/** True when a log or journal of the store may hold pages. */
export function hasPendingParts(path: string): boolean {
  return ["-wal", "-journal"].some((suffix) => (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0) > 0);
}

/** Removes what a restore that was killed left behind. Only under the repair lock. */
export function sweepRestore(path: string): void {
  const main = path + STAGING;
  removeFiles(["", "-log", ...SIDECAR_SUFFIXES].map((suffix) => main + suffix));
}

/** A restore by root must not take a store away from the user who has it. */
function keepOwner(path: string, staged: StagedRestore): void {
  const owner = statSync(path, { throwIfNoEntry: false });
  if (!owner || process.getuid?.() !== 0) return;
  for (const file of [staged.main, staged.log]) if (file !== undefined) chownSync(file, owner.uid, owner.gid);
}

/**
 * Copies a backup beside the store, and where the store has a log or a journal, once more as a log.
 *
 * @param expected - What was verified; other bytes are refused.
 * @throws STATE_E_BACKUP_INVALID when the backup changed meanwhile.
 */
export async function stageRestore(
  backup: string,
  path: string,
  expected: FileDigest,
  options: ProgressOptions & { readonly random: Random },
): Promise<StagedRestore> {
  const main = path + STAGING;
  const log = existsSync(path) && hasPendingParts(path) ? `${main}-log` : undefined;
  const descriptor = openSync(main, "wx", PRIVATE_MODE);
  let transition: TransitionLog | undefined;
  try {
    const copied = await digestFile(backup, "copy", options, (piece) => {
      for (let done = 0; done < piece.length;) done += writeSync(descriptor, piece, done);
      if (log === undefined) return;
      transition ??= new TransitionLog(log, pageSizeOf(piece), expected.bytes, options.random);
      transition.append(piece);
    });
    if (copied.sha256 !== expected.sha256) throw backupInvalid(backup, ["it changed while it was restored"]);
    fsyncSync(descriptor);
    transition?.sync();
  } finally {
    transition?.[Symbol.dispose]();
    closeSync(descriptor);
  }
  keepOwner(path, { main, log });
  return { main, log };
}
