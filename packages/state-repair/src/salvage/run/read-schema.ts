import { headerOffset, PAGE_KIND } from "../btree/page-shape.js";
import { type SubtreeVerdict, type TreeLeaf, walkTable } from "../btree/walk-table.js";
import { type LeafRecord, readLeafRecords } from "./read-leaf-records.js";
import type { SalvageRun } from "./salvage-run.js";

/** One table as `sqlite_schema` lists it. */
export interface SchemaTable {
  readonly name: string;
  readonly root: number;
  readonly sql: string;
}

/** The tables of a file; `complete` when the schema's own tree was whole. */
export interface FileSchema {
  readonly tables: readonly SchemaTable[];
  readonly complete: boolean;
}

const KINDS = new Set(["table", "index", "trigger", "view"]);

function isSchemaRecord({ values }: LeafRecord): boolean {
  const [kind, name, owner, root, sql] = values;
  if (values.length !== 5 || typeof kind !== "string" || !KINDS.has(kind)) return false;
  return typeof name === "string" && typeof owner === "string" && typeof root === "number" && isSql(sql);
}

function isSql(value: unknown): boolean {
  return value === null || (typeof value === "string" && /^\s*CREATE\b/i.test(value));
}

function toTable({ values }: LeafRecord, pageCount: number): SchemaTable | undefined {
  const [kind, name, , root, sql] = values;
  if (kind !== "table" || typeof name !== "string" || typeof root !== "number" || typeof sql !== "string") {
    return undefined;
  }
  return root < 2 || root > pageCount ? undefined : { name, root, sql };
}

function* readSchemaLeaf(run: SalvageRun, leaf: TreeLeaf): Generator<LeafRecord, SubtreeVerdict> {
  const { records, unreadable, misplaced, balanced } = readLeafRecords(run, leaf.page, leaf.bytes);
  const good = records.filter(isSchemaRecord);
  yield* good;
  const clean = balanced && unreadable + misplaced === 0 && good.length === records.length;
  return { clean, first: good[0]?.rowid ?? Infinity, last: good.at(-1)?.rowid ?? -Infinity };
}

/** Looks through all pages for rows of the schema, when its own tree cannot be followed. */
function* scanForSchema(run: SalvageRun): Generator<LeafRecord> {
  const { pages } = run;
  for (let number = 1; number <= pages.pageCount; number += 1) {
    run.onPages(1);
    if (run.ledger.isTaken(number) || run.ledger.isFree(number)) continue;
    const page = pages.page(number);
    if (page?.readUInt8(headerOffset(number)) !== PAGE_KIND.tableLeaf) continue;
    const found = readLeafRecords(run, number, page).records.filter(isSchemaRecord);
    if (found.length === 0) continue;
    run.ledger.take(number);
    yield* found;
  }
}

/** Reads the list of tables, from the tree that begins at page 1 or from wherever its pages are. */
export function readSchema(run: SalvageRun): FileSchema {
  const records: LeafRecord[] = [];
  const walk = walkTable(
    {
      pages: run.pages,
      ledger: run.ledger,
      readLeaf: (leaf) => readSchemaLeaf(run, leaf),
      onCovered: () => undefined,
      onProblem: () => undefined,
    },
    1,
  );
  let step = walk.next();
  for (; step.done !== true; step = walk.next()) records.push(step.value);
  const complete = step.value.clean && records.length > 0;
  if (!complete) records.push(...scanForSchema(run));
  const tables = records.flatMap((record) => toTable(record, run.pages.pageCount) ?? []);
  return { tables, complete };
}
