import { dirname, join } from "node:path";
import { canonicalPath } from "@hermes/state-core";
import { EXIT } from "../errors/exit-code.js";
import { formatBytes } from "../output/format-bytes.js";
import { withProgress } from "../output/progress.js";
import { writeDocument } from "../output/write-document.js";
import { locateStore } from "../store/locate-store.js";
import { writeNothingToDo } from "../store/nothing-to-do.js";
import { isAbsent } from "../store/open-store.js";
import type { Verb, VerbContext } from "../verb.js";

/** Options of `backup create`. */
export interface BackupCreateOptions {
  readonly dir?: string;
  readonly keep?: number;
}

/** The folder that is named, or the usual one beside the store. */
export async function backupFolder({ options }: VerbContext, dir: string | undefined): Promise<string> {
  if (dir !== undefined) return dir;
  const { DEFAULT_BACKUP_FOLDER } = await import("@hermes/state-portability");
  return join(dirname(canonicalPath(locateStore(options).path)), DEFAULT_BACKUP_FOLDER);
}

/** Makes a verified copy of the store, while others go on using it. */
export const backupCreate: Verb<BackupCreateOptions> = async (context, { dir, keep }) => {
  const { output, signal } = context;
  const { path, named } = locateStore(context.options);
  if (!named && isAbsent(path)) return await writeNothingToDo(context);
  context.handleInterrupts();
  const { backupStore } = await import("@hermes/state-portability");
  const folder = await backupFolder(context, dir);
  const backup = await withProgress(output, "Backing up", (onProgress) =>
    backupStore(path, folder, { keep, onProgress, signal }),
  );
  await writeDocument(output, backup, () => {
    const { sessions, messages } = backup.record.counts;
    const evicted = backup.evicted.map((old) => `\nDeleted ${old}`).join("");
    const what = `${String(sessions)} sessions, ${String(messages)} messages, ${formatBytes(backup.record.bytes)}`;
    return `${backup.path}\n${what}; the full check found nothing wrong.${evicted}`;
  });
  return EXIT.done;
};
