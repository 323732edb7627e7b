import type { StoreContext } from "@hermes/state-core";
import type { Reader } from "@hermes/state-schema";
import { planLinks } from "./plan-links.js";
import type { LinkPlan, WantedLink } from "./plan-links.js";

const PARENT_SQL = "SELECT parent_session_id AS parent FROM sessions WHERE id = ?";
const LINK_SQL = `UPDATE sessions SET parent_session_id = ?
  WHERE id = ? AND parent_session_id IS NULL AND EXISTS (SELECT 1 FROM sessions WHERE id = ?)`;
const LINKS_PER_WRITE = 500;

/**
 * Links imported sessions to their parents, after all of them are there (POR-02).
 *
 * @param planned - Ids that a dry run pretends to have written; given, nothing is written.
 */
export function linkParents(
  store: StoreContext,
  wanted: readonly WantedLink[],
  planned?: ReadonlySet<string>,
): LinkPlan {
  if (wanted.length === 0) return { links: [], missing: [], cyclic: [] };
  const plan = store.read((r) => planLinks(wanted, (id) => parentOf(r, id, planned)));
  if (planned) return plan;
  for (let start = 0; start < plan.links.length; start += LINKS_PER_WRITE) {
    const chunk = plan.links.slice(start, start + LINKS_PER_WRITE);
    store.write("link imported sessions", (w) => {
      for (const { id, parentId } of chunk) w.run(LINK_SQL, [parentId, id, parentId]);
    });
  }
  return plan;
}

function parentOf(r: Reader, id: string, planned: ReadonlySet<string> | undefined): string | null | undefined {
  if (planned?.has(id)) return null;
  const row = r.get<{ parent: string | null }>(PARENT_SQL, [id]);
  return row && row.parent;
}
