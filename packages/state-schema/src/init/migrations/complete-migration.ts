import type { Reader, SchemaHost, Writer } from "../../sql/handles.js";
import { stampVersion } from "../stamp-version.js";

const BEHIND = "SELECT EXISTS (SELECT 1 FROM schema_version WHERE version < ?) AS behind";

/** True while no process has completed the migration of a gate. */
export function isBehind(r: Reader, gate: number): boolean {
  return r.get<{ behind: number }>(BEHIND, [gate])?.behind === 1;
}

/**
 * Runs a migration, or its last step, in one transaction that also raises the stamp. A sibling may have completed it
 * while this process waited, and written rows of its own since: then nothing is done, because those rows are not old.
 */
export function completeMigration(host: SchemaHost, label: string, gate: number, fn: (w: Writer) => void): void {
  host.transaction(label, (w) => {
    if (!isBehind(w, gate)) return;
    fn(w);
    stampVersion(w, gate);
  });
}
