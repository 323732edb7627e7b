import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { PluginHit } from "../scan/plugin-hit.js";

/** What a host shows people about plugins that use names which do not stay. */
export interface CompatReport {
  /** The first day on which a name of any plugin is gone; null where none has a day. */
  readonly removal_date: string | null;
  readonly in_effect: boolean;
  /** UTC, whole seconds, as ISO text. */
  readonly written_at: string;
  readonly plugins: Readonly<Record<string, readonly Pick<PluginHit, "file" | "line" | "old" | "new">[]>>;
  /** A headline and what to do. */
  readonly lines: readonly [string, string];
}

/**
 * Rewrites the report of a host, or deletes it where there is nothing to say. A disk that does not take it is no reason
 * to stop: the plugins are loaded or not all the same.
 *
 * @returns Whether the file is now as it should be.
 */
export function writeReport(file: string, report: CompatReport | null): boolean {
  try {
    if (report === null) rmSync(file, { force: true });
    else replace(file, `${JSON.stringify(report, null, 2)}\n`);
    return true;
  } catch {
    // The report is for people; whoever waits for it sees the old one, or none.
    return false;
  }
}

function replace(file: string, text: string): void {
  const next = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(next, text, { mode: 0o600 });
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}
