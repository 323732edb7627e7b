import { statSync } from "node:fs";
import type { Stats } from "node:fs";
import { canonicalPath, checkKnownOptions, SIDECAR_SUFFIXES } from "@hermes/state-core";
import type { Clock, ProgressOptions } from "@hermes/state-core";
import { checkStore } from "@hermes/state-repair";
import type { CheckReport } from "@hermes/state-repair";
import { basename } from "node:path";
import { typedCopyError } from "./backup-errors.js";
import { readBackupRecord } from "./backup-record.js";
import type { BackupRecord } from "./backup-record.js";
import { digestFile } from "./digest-file.js";
import type { FileDigest } from "./digest-file.js";
import { strangers } from "./strangers.js";

/** How to verify. */
export interface VerifyBackupOptions extends ProgressOptions {
  readonly clock?: Clock;
}

/** What a verification found. */
export interface BackupVerification {
  readonly path: string;
  readonly ok: boolean;
  /** Why it is not; empty when it is. */
  readonly problems: readonly string[];
  /** Undefined for a copy that comes without a record: then the check alone decides. */
  readonly record: BackupRecord | undefined;
  readonly bytes: number;
  readonly sha256: string | undefined;
  /** The full check; undefined when the file was not looked into. */
  readonly check: CheckReport | undefined;
}

/** A log or journal beside it would be read with it, and is not what was backed up. */
function foreignParts(path: string): string[] {
  return SIDECAR_SUFFIXES.filter(
    (suffix) => suffix !== "-shm" && (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0) > 0,
  ).map((suffix) => `a ${suffix} file stands beside it, so that it is more than one file`);
}

function compare(record: BackupRecord | undefined, path: string, { bytes, sha256 }: FileDigest): string[] {
  if (!record) return [];
  if (record.file !== basename(path)) return [`its record is about ${record.file}`];
  if (record.bytes !== bytes) return [`it has ${String(bytes)} bytes and was recorded with ${String(record.bytes)}`];
  return record.sha256 === sha256 ? [] : ["its bytes are not those that were recorded"];
}

function unsound({ verdict, findings, exists }: CheckReport): string[] {
  if (!exists) return ["there is no such file"];
  const [first] = findings.filter(({ severity }) => severity !== "note");
  return verdict === "healthy" ? [] : [`the full check says ${verdict}${first ? `: ${first.detail}` : ""}`];
}

function absent(stat: Stats | undefined): string[] {
  if (stat?.isDirectory()) return ["it is a folder"];
  return stat?.isFile() && stat.size > 0 ? [] : ["there is no such file, or it is empty"];
}

/**
 * Looks at a backup as if it were to be restored now: one file, the bytes that were recorded, and the full check.
 *
 * @param file - A backup, or any other copy of a store.
 * @throws TypeError for unknown options; the signal's reason; StateError when the file cannot be read.
 */
export async function verifyBackup(file: string, options: VerifyBackupOptions = {}): Promise<BackupVerification> {
  checkKnownOptions("verifyBackup", options, ["clock", "onProgress", "signal"]);
  const path = canonicalPath(file);
  const stat = statSync(path, { throwIfNoEntry: false });
  const record = readBackupRecord(path);
  const answer = { path, record, bytes: stat?.size ?? 0, sha256: undefined, check: undefined };
  const early = [...absent(stat), ...foreignParts(path)];
  if (early.length > 0) return { ...answer, ok: false, problems: early };
  try {
    const digest = await digestFile(path, "read", options);
    const differences = compare(record, path, digest);
    if (differences.length > 0) return { ...answer, ...digest, ok: false, problems: differences };
    const check = await checkStore(path, { ...options, level: "full" });
    const unfit = unsound(check);
    const problems = unfit.length > 0 ? unfit : strangers(path);
    return { ...answer, ...digest, check, ok: problems.length === 0, problems };
  } catch (error) {
    throw typedCopyError(error, "verify", path);
  }
}
