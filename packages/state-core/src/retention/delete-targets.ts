import type { Reader } from "@hermes/state-schema";
import { CONVERSATION_SQL } from "../lineage/conversation-sql.js";
import { chunksOf } from "./chunks-of.js";
import { delegatesOf } from "./delegates-of.js";

const KNOWN = "SELECT id FROM sessions WHERE id IN (SELECT value FROM json_each(?))";
const CONVERSATION = `${CONVERSATION_SQL} SELECT id FROM conversation ORDER BY id`;

/** What a deletion takes. */
export interface DeleteTargets {
  /** The sessions that were named and exist, once each, in the order they were named. */
  readonly selected: readonly string[];
  /** They, with the other segments of their conversations where asked for, and then all delegates, sorted. */
  readonly all: readonly string[];
}

function known(r: Reader, ids: readonly string[]): string[] {
  const found = new Set<string>();
  for (const chunk of chunksOf(ids)) {
    for (const { id } of r.all<{ id: string }>(KNOWN, [JSON.stringify(chunk)])) found.add(id);
  }
  return [...new Set(ids)].filter((id) => found.has(id));
}

/**
 * Works out what a deletion takes (core deletion rules of COR-33).
 *
 * @param includeLineage - The whole conversation of each session.
 */
export function deleteTargets(r: Reader, ids: readonly string[], includeLineage: boolean): DeleteTargets {
  const selected = known(r, ids);
  const targets = new Set(selected);
  if (includeLineage) {
    for (const id of selected) {
      for (const part of r.all<{ id: string }>(CONVERSATION, [id])) targets.add(part.id);
    }
  }
  return { selected, all: [...targets, ...delegatesOf(r, [...targets])] };
}
