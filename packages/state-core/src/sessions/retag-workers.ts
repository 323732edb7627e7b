import { META_KEYS } from "@hermes/state-schema";
import type { Writer } from "@hermes/state-schema";

const SELECT_DONE = "SELECT 1 AS done FROM state_meta WHERE key = ?";
const MARK_DONE = "INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, '1')";

/** Both sources stand on the same side of the search index's line; folders are compared byte by byte. */
const RETAG = `
  UPDATE sessions SET source = 'kanban'
  WHERE source = 'cli' AND (cwd = ? OR substr(cwd, 1, ?) IN (?, ?))`;

/**
 * Gives sessions that a board's workers ran from its workspaces the source `kanban`, once per workspaces folder.
 *
 * @returns How many there were; 0 when it was done before.
 */
export function retagWorkers(w: Writer, workspacesRoot: string): number {
  const root = workspacesRoot.replace(/[/\\]+$/, "");
  const key = `${META_KEYS.kanbanRetagged.key}${workspacesRoot}`;
  if (w.get(SELECT_DONE, [key])) return 0;
  const below = Array.from(root).length + 1;
  const { changes } = w.run(RETAG, [root, below, `${root}/`, `${root}\\`]);
  w.run(MARK_DONE, [key]);
  return changes;
}
