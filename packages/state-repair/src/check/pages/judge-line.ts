import type { FindingCode } from "../findings.js";
import { isSearchIndexName } from "../schema/schema-objects.js";
import type { SchemaObject } from "../schema/schema-objects.js";

/** What one line of an integrity check speaks of. */
export interface LineJudgement {
  readonly code: FindingCode;
  readonly object: string;
}

const TREE = /\bTree (\d+)\b/;
const SEARCH_INDEX = /\bfts5\b.*?\btable "?(?:main"?\."?)?(\w+)/i;
const OF_INDEX = /(?:missing from|wrong # of entries in|non-unique entry in|in) index ([^\s:]+)/;
const OF_CELL = /^(NULL|TEXT|NUMERIC|non-\w+) value in ([^.\s]+)\./;
const OF_RULE = /^CHECK constraint failed in (\S+)/;
const UNUSED = /^Page \d+(?: is|:) never used/;

/**
 * Says what a line of `integrity_check` or `quick_check` speaks of: a tree by its root page, an index by its name, a
 * cell by its column. What cannot be told apart counts as damage of the rows.
 */
export function judgeLine(line: string, objects: readonly SchemaObject[]): LineJudgement {
  const search = SEARCH_INDEX.exec(line)?.[1];
  if (search !== undefined) return { code: "index", object: search };
  if (/\bfreelist\b/i.test(line)) return { code: "free-pages", object: "main" };
  if (UNUSED.test(line)) return { code: "unused-pages", object: "main" };
  const root = TREE.exec(line)?.[1];
  if (root !== undefined) return ofObject(objects.find((object) => object.root === Number(root)));
  const index = OF_INDEX.exec(line)?.[1];
  if (index !== undefined) return ofObject(objects.find(({ name }) => name === index));
  return ofValue(line);
}

function ofValue(line: string): LineJudgement {
  const [, kind, table] = OF_CELL.exec(line) ?? [];
  if (table !== undefined) {
    if (isSearchIndexName(table)) return { code: "index-pages", object: table };
    return { code: kind === "NULL" ? "null-value" : "bad-value", object: table };
  }
  const rule = OF_RULE.exec(line)?.[1];
  return rule === undefined ? { code: "pages", object: "main" } : { code: "bad-value", object: rule };
}

function ofObject(object: SchemaObject | undefined): LineJudgement {
  if (object === undefined) return { code: "pages", object: "main" };
  if (isSearchIndexName(object.table)) return { code: "index-pages", object: object.name };
  return { code: object.type === "index" ? "btree-index" : "pages", object: object.name };
}
