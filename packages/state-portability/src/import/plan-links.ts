/** A session that names a parent. */
export interface WantedLink {
  readonly id: string;
  readonly parentId: string;
}

/** Which links can be made, and which cannot. */
export interface LinkPlan {
  readonly links: readonly WantedLink[];
  /** Their parent is not in the store. */
  readonly missing: readonly WantedLink[];
  /** They would close a ring of sessions. */
  readonly cyclic: readonly WantedLink[];
}

/** What is known of a session: its parent's id, null without one, undefined when there is no such session. */
export type ParentOf = (id: string) => string | null | undefined;

/**
 * Decides how imported sessions are linked to their parents after all of them are there. In a ring every link is made
 * but the one that would close it (POR-02).
 *
 * @param parentOf - Answers for the store as it will be, without the wanted links.
 */
export function planLinks(wanted: readonly WantedLink[], parentOf: ParentOf): LinkPlan {
  const planned = new Map<string, string>();
  const links: WantedLink[] = [];
  const missing: WantedLink[] = [];
  const cyclic: WantedLink[] = [];
  const parent: ParentOf = (id) => planned.get(id) ?? parentOf(id);
  for (const link of wanted) {
    if (parentOf(link.parentId) === undefined) missing.push(link);
    else if (leadsTo(link.parentId, link.id, parent)) cyclic.push(link);
    else {
      planned.set(link.id, link.parentId);
      links.push(link);
    }
  }
  return { links, missing, cyclic };
}

/** Walks up from `start`; a store may hold rings already, so every session is visited once. */
function leadsTo(start: string, wanted: string, parentOf: ParentOf): boolean {
  const visited = new Set<string>();
  let id: string | null | undefined = start;
  while (typeof id === "string" && !visited.has(id)) {
    if (id === wanted) return true;
    visited.add(id);
    id = parentOf(id);
  }
  return false;
}
