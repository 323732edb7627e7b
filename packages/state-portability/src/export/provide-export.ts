import { statSync } from "node:fs";
import { dirname } from "node:path";
import { isStateError, syncFolder } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { syncFile } from "../backup/private-file.js";
import { isStoreFile } from "../files/is-store-file.js";
import type { Deletion } from "./deletion.js";
import { sameIds } from "./deletion.js";
import { differingSession } from "./differing-session.js";
import type { ExportFormat } from "./export-codec.js";
import { targetTaken, unverified } from "./export-errors.js";
import type { ExportReport } from "./export-options.js";
import { exportStore } from "./export-store.js";
import { fileIdentity } from "./file-identity.js";
import { fileSink } from "./file-sink.js";
import { readBack } from "./read-back.js";
import type { ReadBack, ReadBackOptions } from "./read-back.js";

/** An export that is on disk and was read again. */
export interface ProvidedExport extends ReadBack {
  readonly path: string;
  /** Tells the file from another one that took its name. */
  readonly identity: string;
  readonly written: boolean;
}

/** How to write it, and how to follow that. */
export interface ProvideOptions extends ReadBackOptions {
  readonly format: ExportFormat;
  readonly signal: AbortSignal | undefined;
}

/**
 * Writes the export and reads it back; or takes the one that is there, if it holds just these sessions as they are.
 *
 * @throws STATE_E_EXPORT_TARGET, STATE_E_EXPORT_UNVERIFIED, and what an export throws.
 */
export async function provideExport(
  store: StateStore,
  path: string,
  deletion: Deletion,
  options: ProvideOptions,
): Promise<ProvidedExport> {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isFile() && !isStoreFile(store.path, path)) return await adopt(store, path, deletion, options);
  const { format, onProgress, signal } = options;
  const how = { format, sessionIds: deletion.targets, onProgress, signal };
  const report = await exportStore(store, fileSink(store, path), how);
  const identity = fileIdentity(path);
  const back = await readWritten(path, options);
  const reason = differenceOf(back, report, deletion);
  if (reason !== undefined) throw unverified(path, reason);
  return { ...back, path, identity, written: true };
}

async function readWritten(path: string, options: ReadBackOptions): Promise<ReadBack> {
  try {
    return await readBack(path, options);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    throw unverified(path, "it could not be read", { cause: String(error) });
  }
}

/** The file cannot be read, or it is none of ours. */
function isUnreadable(error: unknown): boolean {
  return isStateError(error) ? error.code.startsWith("STATE_E_IMPORT_") : error instanceof Error && "errno" in error;
}

function differenceOf(back: ReadBack, report: ExportReport, { targets }: Deletion): string | undefined {
  if (back.problem !== undefined) return `an import would refuse it, ${back.problem}`;
  if (back.bytes !== report.bytes || back.sha256 !== report.sha256) return "its bytes are not those that were written";
  if (!sameIds(back.sessions.keys(), targets)) return "it holds other sessions";
  const messages = [...back.sessions.values()].reduce((sum, digest) => sum + digest.messages, 0);
  return messages === report.messages ? undefined : `it holds ${messages} messages instead of ${report.messages}`;
}

/** Left by a run that ended between its export and its deletion. */
async function adopt(
  store: StateStore,
  path: string,
  { targets }: Deletion,
  options: ReadBackOptions,
): Promise<ProvidedExport> {
  const identity = fileIdentity(path);
  const back = await readBack(path, options).catch((error: unknown) => {
    if (isUnreadable(error)) throw targetTaken(path);
    throw error;
  });
  const same = back.problem === undefined && sameIds(back.sessions.keys(), targets);
  if (!same || store.read((r) => differingSession(r, back.sessions))) throw targetTaken(path);
  syncFile(path);
  syncFolder(dirname(path));
  return { ...back, path, identity, written: false };
}
