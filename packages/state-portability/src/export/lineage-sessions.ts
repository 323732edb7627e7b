import { StateError } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import type { Reader } from "@hermes/state-schema";

/**
 * How much of what a session belongs to goes with it: `single` nothing, `logical` the whole conversation through its
 * compactions, `tree` everything below the topmost parent too: branches, delegates, resets and tool sessions.
 */
export type LineageScope = "single" | "logical" | "tree";

/** All of {@link LineageScope}. */
export const LINEAGE_SCOPES: readonly LineageScope[] = ["single", "logical", "tree"];

/** Up through every parent, then down through every child of any of these; sets, so that a ring ends them. */
const TREE_SQL = `WITH RECURSIVE
  above (id, parent) AS (
    SELECT id, parent_session_id FROM sessions WHERE id = ?
    UNION
    SELECT upper.id, upper.parent_session_id FROM above JOIN sessions AS upper ON upper.id = above.parent
  ),
  tree (id) AS (
    SELECT id FROM above
    UNION
    SELECT child.id FROM tree JOIN sessions AS child ON child.parent_session_id = tree.id
  )
  SELECT tree.id FROM tree JOIN sessions AS session ON session.id = tree.id
  ORDER BY session.started_at, session.id`;

/** Every session of the tree that one belongs to, oldest first; empty when there is no such session. */
export function treeOf(r: Reader, id: string): string[] {
  return r.tuples<readonly [string]>(TREE_SQL, [id]).map(([session]) => session);
}

/**
 * The sessions that an export with a lineage takes, each once: segments of a conversation from first to last, a tree
 * oldest first, and behind it the delegates that name one of its sessions without hanging on it (POR-08).
 *
 * @throws STATE_E_SESSION_NOT_FOUND, RangeError for an unknown scope.
 */
export function lineageSessions(store: StateStore, ids: readonly string[], scope: LineageScope): string[] {
  checkScope(scope);
  if (scope === "single") return [...new Set(ids)];
  if (scope === "logical") return [...new Set(ids.flatMap((id) => store.lineage.chain(id)))];
  const trees = ids.flatMap((id) => {
    const tree = store.read((r) => treeOf(r, id));
    if (tree.length === 0) throw sessionNotFound(id);
    return tree;
  });
  return [...store.retention.getDeleteTargets(trees)];
}

/** @throws RangeError when there is no such scope. */
export function checkScope(scope: LineageScope): void {
  if (LINEAGE_SCOPES.includes(scope)) return;
  throw new RangeError(`lineage must be one of ${LINEAGE_SCOPES.join(", ")}, not ${JSON.stringify(scope)}.`);
}

/** A session that was asked for by its id is not there. */
export function sessionNotFound(id: string): StateError {
  return new StateError(
    "STATE_E_SESSION_NOT_FOUND",
    `There is no session ${JSON.stringify(id)}. List them with: hermes-state sessions list --all`,
    { id },
  );
}
