import type { MessageTree } from "../message-tree.js";
import type { ClaudeLine } from "./claude-line.js";
import { isTyped, messageOf } from "./claude-line.js";

/** A path that was left when an earlier turn was edited. */
export interface ClaudeBranch {
  readonly lines: readonly ClaudeLine[];
  /** The message after which it begins; undefined when the first turn was edited. */
  readonly after: ClaudeLine | undefined;
}

/** The lines of the talk in their order, and those that belong to abandoned paths. */
export interface ClaudePaths {
  readonly main: readonly ClaudeLine[];
  readonly branches: readonly ClaudeBranch[];
}

const ROOT = "";

/**
 * Tells the conversation from the paths that were left. Parallel calls and split replies give an entry several
 * children as well, so only typed turns beside each other are alternatives; the one written last is the conversation.
 */
export function splitBranches(lines: readonly ClaudeLine[], tree: MessageTree<ClaudeLine>): ClaudePaths {
  const parents = talkAbove(lines, tree);
  const left = abandonedTurns(lines, parents, latestBelow(lines, parents));
  const owner = new Map<string, string | undefined>();
  const ownerOf = (line: ClaudeLine): string | undefined => {
    if (left.has(line.id)) return line.id;
    const parent = parents.get(line.id);
    return parent && owner.get(parent.id);
  };
  // A parent stands above its children, so one pass is enough.
  const paths = new Map<string, ClaudeLine[]>();
  for (const line of lines) {
    const id = ownerOf(line);
    owner.set(line.id, id);
    const path = id === undefined ? undefined : paths.get(id);
    if (path) path.push(line);
    else if (id !== undefined) paths.set(id, [line]);
  }
  const branches = [...left].map((id): ClaudeBranch => ({ lines: paths.get(id) ?? [], after: parents.get(id) }));
  return { main: lines.filter((line) => owner.get(line.id) === undefined), branches };
}

/** The nearest message above each line: what is no talk is only a link. */
function talkAbove(lines: readonly ClaudeLine[], tree: MessageTree<ClaudeLine>): Parents {
  const above = new Map<string, ClaudeLine | undefined>();
  for (const { id, parent } of lines) {
    const met = tree.nearest(parent, (line) => messageOf(line) !== undefined || above.has(line.id));
    above.set(id, met && messageOf(met) === undefined ? above.get(met.id) : met);
  }
  return above;
}

type Parents = ReadonlyMap<string, ClaudeLine | undefined>;

/** The last line that hangs on each line: somebody may have gone back to a path and gone on with it. */
function latestBelow(lines: readonly ClaudeLine[], parents: Parents): ReadonlyMap<string, number> {
  const latest = new Map(lines.map((line) => [line.id, line.line]));
  for (const line of lines.toReversed()) {
    const parent = parents.get(line.id);
    if (parent) latest.set(parent.id, Math.max(latest.get(parent.id) ?? 0, latest.get(line.id) ?? 0));
  }
  return latest;
}

/** Typed turns beside one that is gone on with later. */
function abandonedTurns(
  lines: readonly ClaudeLine[],
  parents: Parents,
  latest: ReadonlyMap<string, number>,
): ReadonlySet<string> {
  const turns = new Map<string, string[]>();
  for (const line of lines.filter(isTyped)) {
    const key = parents.get(line.id)?.id ?? ROOT;
    const beside = turns.get(key);
    if (beside) beside.push(line.id);
    else turns.set(key, [line.id]);
  }
  const age = (id: string): number => latest.get(id) ?? 0;
  return new Set([...turns.values()].flatMap((ids) => ids.toSorted((a, b) => age(a) - age(b)).slice(0, -1)));
}
