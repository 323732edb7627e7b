import { closeSync, openSync } from "node:fs";
import { PRIVATE_MODE, throwIfAborted } from "@hermes/state-core";
import type { ProgressOptions } from "@hermes/state-core";
import { openForReading } from "./open-for-reading.js";
import { syncFile } from "./private-file.js";

const ANYTHING = "SELECT 1 AS found FROM sqlite_master LIMIT 1";
const SIZE = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size";

/**
 * Copies what a store holds at one moment, page by page through SQLite: rows in the log are in it, and parts that are
 * unknown or damaged are carried as they are, which VACUUM INTO would drop or stumble over. The source's snapshot is
 * held for the time of the copy, so that writers in WAL mode go on and never make it start again.
 *
 * @param path - Canonical path of the store; others may write to it.
 * @param target - A name that is free.
 * @param admit - Told how many bytes there will be, before the first is written; what it throws ends the copy.
 */
export async function copyStore(
  path: string,
  target: string,
  admit: (bytes: number) => void,
  { onProgress, signal }: ProgressOptions,
): Promise<void> {
  using source = openForReading(path);
  source.exec("BEGIN");
  try {
    source.get(ANYTHING);
    admit(source.get<{ bytes: number }>(SIZE)?.bytes ?? 0);
    closeSync(openSync(target, "wx", PRIVATE_MODE));
    await source.copyTo(target, (done, total) => {
      throwIfAborted(signal);
      onProgress?.({ phase: "copy", done, total });
    });
  } finally {
    source.exec("ROLLBACK");
  }
  syncFile(target);
}
