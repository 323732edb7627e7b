import { FTS_TABLE } from "@hermes/state-schema";
import type { Steps } from "../../steps/run-steps.js";
import type { CheckFinding } from "../check-report.js";
import type { CheckRun } from "../check-run.js";
import { engineTrouble, messageOf } from "../engine-error.js";
import { finding } from "../findings.js";
import { guarded } from "../guarded.js";
import { searchIndexFinding } from "../index/other-library.js";
import { isRowTable, isSearchIndexName, quoted } from "../schema/schema-objects.js";
import type { SchemaObject } from "../schema/schema-objects.js";
import { judgeLine } from "./judge-line.js";

/** Above this a check goes table by table, so that it can say how far it is and be stopped. */
const AT_ONCE_BYTES = 128 * 1024 * 1024;
const LINES = 100;
const SHOWN = 3;

const PAGE_SIZE = "SELECT page_size AS n FROM pragma_page_size";
const PAGE_COUNT = "SELECT page_count AS n FROM pragma_page_count";

/** The page with this byte is never used. */
const LOCK_BYTE = 0x40000000;
const PAGE_ACCOUNT = `
  SELECT (SELECT total(pageno) FROM dbstat WHERE aggregate = 1) AS used,
    (SELECT freelist_count FROM pragma_freelist_count) AS free,
    (SELECT page_size FROM pragma_page_size) AS size, (SELECT page_count FROM pragma_page_count) AS "all"`;

/** How to ask about pages. */
export interface PageOptions {
  /** Files up to this size are asked in one statement. Default 128 MiB. */
  readonly atOnceBytes?: number | undefined;
  /** Search indexes are compared with their rows afterwards, which includes all that this would see of them. */
  readonly comparedLater: boolean;
}

/**
 * Asks the engine about every page (`quick_check`) and, at the full level, about every index entry against its row
 * (`integrity_check`). Each complaint is judged by the object it speaks of: what concerns a search index can be made
 * again from the rows.
 */
export function* checkPages(run: CheckRun, objects: readonly SchemaObject[], options: PageOptions): Steps<void> {
  const { atOnceBytes = AT_ONCE_BYTES } = options;
  const full = run.level === "full";
  const what = full ? "every page, every index entry against its row" : "every page";
  if (!full) run.left("index entries against their rows (level full)");
  const raised = (detail: string): CheckFinding => finding("pages", "main", `The pages cannot be walked: ${detail}.`);
  yield* guarded(run, what, raised, function* () {
    const pages = numberOf(run, PAGE_COUNT);
    yield { phase: "pages", done: 0, total: pages };
    const small = pages * numberOf(run, PAGE_SIZE) <= atOnceBytes;
    if (small && askAtOnce(run, objects)) yield { phase: "pages", done: pages, total: pages };
    else yield* askInTurn(run, objects, options);
  });
}

function numberOf(run: CheckRun, sql: string): number {
  return run.r.get<{ n: number }>(sql)?.n ?? 0;
}

function pragmaOf(run: CheckRun): string {
  return run.level === "full" ? "integrity_check" : "quick_check";
}

function linesOf(run: CheckRun, argument: string | number): string[] {
  // The first row may hold many lines under a heading.
  const rows = run.r.tuples<[string]>(`PRAGMA ${pragmaOf(run)}(${argument})`);
  return rows.flatMap(([text]) => text.split("\n")).filter((line) => line !== "ok" && !line.startsWith("*** in "));
}

/** @returns False when the engine gave up on the file, so that only asking object by object tells what is wrong. */
function askAtOnce(run: CheckRun, objects: readonly SchemaObject[]): boolean {
  try {
    report(run, objects, linesOf(run, LINES));
    return true;
  } catch (error) {
    if (engineTrouble(error) !== "damage") throw error;
    return false;
  }
}

function* askInTurn(run: CheckRun, objects: readonly SchemaObject[], options: PageOptions): Steps<void> {
  const tables = objects.filter((object) => object.type === "table" && !isLeftOut(run, object, options));
  if (run.level === "quick") run.left("the search indexes by the engine's own check, in files this large (level full)");
  let done = 0;
  for (const table of tables) {
    yield { phase: "pages", done, total: tables.length };
    try {
      report(run, objects, linesOf(run, quoted(table.name)));
    } catch (error) {
      if (engineTrouble(error) !== "damage") throw error;
      run.add(unwalkable(table, messageOf(error)));
    }
    done += 1;
  }
  yield { phase: "pages", done, total: tables.length };
  countPages(run);
}

/**
 * Without its tokenizer nothing can be asked of the CJK index, which is no damage (SCH-09). Of a large file, the check
 * of a search index would take most of the time.
 */
function isLeftOut({ level }: CheckRun, { name, root }: SchemaObject, { comparedLater }: PageOptions): boolean {
  const isIndex = root === 0 && isSearchIndexName(name);
  return name === FTS_TABLE.cjk || (isIndex && (level === "quick" || comparedLater));
}

/** Asked table by table, the engine says nothing about pages that belong to none. */
function countPages(run: CheckRun): void {
  const what = "pages that belong to nothing";
  if (run.findings.some(({ severity }) => severity === "damage")) {
    run.left(`${what} (the pages cannot be counted while some of them are damaged)`);
    return;
  }
  const counts = run.r.get<{ used: number; free: number; size: number; all: number }>(PAGE_ACCOUNT);
  if (!counts) return;
  const lockPage = counts.all * counts.size > LOCK_BYTE ? 1 : 0;
  const lost = counts.all - counts.used - counts.free - lockPage;
  if (lost !== 0) run.add(finding("unused-pages", "main", `${lost} pages belong to nothing and are not free.`));
  run.left("the order of the list of free pages, in files that are asked table by table");
}

function unwalkable(table: SchemaObject, message: string): CheckFinding {
  const detail = `${table.name} and its indexes cannot be walked: ${message}.`;
  const code = isSearchIndexName(table.name) ? "index-pages" : isRowTable(table) ? "pages" : "index";
  return finding(code, table.name, detail);
}

/** Hundreds of lines about one thing are one finding. */
function report(run: CheckRun, objects: readonly SchemaObject[], lines: readonly string[]): void {
  const found = new Map<string, { readonly first: string; readonly lines: string[] }>();
  for (const line of lines) {
    const { code, object } = judgeLine(line, objects);
    const key = `${code} ${object}`;
    const group = found.get(key);
    if (group) group.lines.push(line);
    else found.set(key, { first: line, lines: [line] });
  }
  for (const { first, lines: same } of found.values()) run.add(...judged(run, objects, first, same));
}

function judged(
  run: CheckRun,
  objects: readonly SchemaObject[],
  first: string,
  lines: readonly string[],
): CheckFinding[] {
  const { code, object } = judgeLine(first, objects);
  const more = lines.length > SHOWN ? ` (and ${lines.length - SHOWN} more)` : "";
  const detail = lines.slice(0, SHOWN).join("; ") + more;
  return code === "index" ? searchIndexFinding(run, object, detail) : [finding(code, object, detail)];
}
