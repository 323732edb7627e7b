import type { PageFile } from "../pages/page-file.js";
import type { PageLedger } from "../pages/page-ledger.js";
import { readChildren, type TreeChild } from "./interior-children.js";
import { headerOffset, PAGE_KIND } from "./page-shape.js";

/** A leaf page of a table, reached from its root. */
export interface TreeLeaf extends TreeChild {
  readonly bytes: Buffer;
}

/** What was found at and below a page. */
export interface SubtreeVerdict {
  /** Everything was there and in order. */
  readonly clean: boolean;
  /** Smallest and largest key that was accepted; `first > last` when none was. */
  readonly first: number;
  readonly last: number;
}

/** Reads the rows of a leaf, and says whether the page is what the tree says it is. */
export type ReadLeaf<Row> = (leaf: TreeLeaf) => Generator<Row, SubtreeVerdict>;

/** Where a walk takes place. */
export interface TreeWalk<Row> {
  readonly pages: PageFile;
  readonly ledger: PageLedger;
  readonly readLeaf: ReadLeaf<Row>;
  /** Called with the key range of every part of the tree that was whole: nothing else of the table lies in it. */
  readonly onCovered: (first: number, last: number) => void;
  /** Called once for each page that is not what the tree says. */
  readonly onProblem: (page: number, problem: string) => void;
}

const NONE: SubtreeVerdict = { clean: false, first: Infinity, last: -Infinity };
const DEEPEST = 24;

/** Walks a table b-tree in key order. Every page is visited once, so a damaged link can lead astray but not around. */
export function* walkTable<Row>(walk: TreeWalk<Row>, root: number): Generator<Row, SubtreeVerdict> {
  return yield* visit(walk, { page: root, low: -Infinity, high: Infinity }, 0);
}

function* visit<Row>(walk: TreeWalk<Row>, child: TreeChild, depth: number): Generator<Row, SubtreeVerdict> {
  const bytes = walk.pages.page(child.page);
  const kind = bytes?.readUInt8(headerOffset(child.page));
  const problem = problemOf(walk, child.page, bytes, kind, depth);
  if (bytes === undefined || problem !== undefined) {
    walk.onProblem(child.page, problem ?? "is beyond the end of the file");
    return NONE;
  }
  walk.ledger.take(child.page);
  const verdict =
    kind === PAGE_KIND.tableLeaf
      ? yield* walk.readLeaf({ ...child, bytes })
      : yield* visitInterior(walk, child, bytes, depth);
  // Nothing of this table came from here: the page belongs to something else, or to nothing.
  if (verdict.first > verdict.last && !verdict.clean) walk.ledger.release(child.page);
  return verdict;
}

function problemOf<Row>(
  { ledger }: TreeWalk<Row>,
  page: number,
  bytes: Buffer | undefined,
  kind: number | undefined,
  depth: number,
): string | undefined {
  if (bytes === undefined) return "is beyond the end of the file";
  if (ledger.isTaken(page)) return "is referred to twice";
  if (depth > DEEPEST) return "lies too deep";
  return kind === PAGE_KIND.tableLeaf || kind === PAGE_KIND.tableInterior ? undefined : "is no page of a table";
}

/** Between two whole neighbours there is nothing, nor beyond a whole child at the edge of the tree. */
function cover<Row>(
  walk: TreeWalk<Row>,
  child: TreeChild,
  before: SubtreeVerdict | undefined,
  { first, last }: SubtreeVerdict,
): void {
  const joined = before?.clean === true && before.first <= before.last;
  const from = child.low === -Infinity ? -Infinity : joined ? before.first : first;
  walk.onCovered(from, child.high === Infinity ? Infinity : last);
}

function* visitInterior<Row>(
  walk: TreeWalk<Row>,
  node: TreeChild,
  bytes: Buffer,
  depth: number,
): Generator<Row, SubtreeVerdict> {
  const { children, intact } = readChildren(walk.pages, node.page, bytes, node.low, node.high);
  if (!intact) walk.onProblem(node.page, "has keys or pointers out of order");
  let clean = intact;
  let first = Infinity;
  let last = -Infinity;
  let before: SubtreeVerdict | undefined;
  for (const child of children) {
    const verdict = yield* visit(walk, child, depth + 1);
    if (intact && verdict.clean) cover(walk, child, before, verdict);
    before = verdict;
    clean &&= verdict.clean;
    first = Math.min(first, verdict.first);
    last = Math.max(last, verdict.last);
  }
  return { clean, first, last };
}
