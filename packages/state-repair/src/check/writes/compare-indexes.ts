import { FTS_TABLE } from "@hermes/state-schema";
import type { Steps } from "../../steps/run-steps.js";
import type { CheckFinding } from "../check-report.js";
import type { CheckRun } from "../check-run.js";
import { engineTrouble, messageOf } from "../engine-error.js";
import { finding } from "../findings.js";
import { comparesWithRows, indexStateOf } from "../index/halves.js";
import type { Half } from "../index/halves.js";
import { hasStructuredContent, otherLibrary } from "../index/other-library.js";
import type { ProbeWriter } from "./probe-writer.js";
import { compareIndex } from "./rehearse-index.js";

const WHAT = "every term of the search indexes against every row";

/** A file of this size is compared in the time that a writer waits anyway. */
const QUICK_BYTES = 16 * 1024 * 1024;
const BYTES = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size";

/**
 * Has the engine compare whole indexes with the rows they read. It can do so only inside a write, and only where an
 * index reads from outside exactly what its triggers give it; other layouts are compared with their own copy of the
 * text when pages are checked.
 */
export function* compareIndexes(
  run: CheckRun,
  halves: readonly Half[],
  writer: ProbeWriter,
  shared: boolean,
): Steps<void> {
  const hindrance = hindranceOf(run, shared);
  if (hindrance !== undefined) run.left(`${WHAT} (${hindrance})`);
  if (hindrance !== undefined || indexStateOf(run).layout === 0) return;
  for (const half of halves) {
    yield { phase: `compare ${FTS_TABLE[half]}`, done: 0, total: 1 };
    run.add(...compare(run, half, writer));
    yield { phase: `compare ${FTS_TABLE[half]}`, done: 1, total: 1 };
  }
}

/** True when {@link compareIndexes} will compare, which includes all that the engine's plain check of an index sees. */
export function willCompare(run: CheckRun, shared: boolean): boolean {
  const { layout } = indexStateOf(run);
  return layout !== 0 && layout !== "none" && hindranceOf(run, shared) === undefined;
}

function hindranceOf(run: CheckRun, shared: boolean): string | undefined {
  if (run.level !== "full") return "level full";
  const state = indexStateOf(run);
  if (state.layout === 0 || state.layout === "none") return undefined;
  if (!comparesWithRows(state)) return "the index is not complete, or not of one layout";
  const bytes = run.r.get<{ bytes: number }>(BYTES)?.bytes ?? 0;
  return shared && bytes > QUICK_BYTES ? "other processes use the file and would wait for it" : undefined;
}

function compare(run: CheckRun, half: Half, writer: ProbeWriter): CheckFinding[] {
  try {
    writer.rehearse((w) => compareIndex(w, half));
    run.saw(`${WHAT} (${FTS_TABLE[half]})`);
    return [];
  } catch (error) {
    if (engineTrouble(error) === "damage") return disagreement(run, half, messageOf(error));
    if (engineTrouble(error) === undefined) throw error;
    run.left(`${WHAT} (${messageOf(error)})`);
    return [];
  }
}

/**
 * What the engine says of the index alone is damage. A disagreement is too, unless something else explains it: a
 * library that reads structured content differently, a session that moved out of the index, or a layout whose older
 * writers gave their index other text than it reads.
 */
function disagreement(run: CheckRun, half: Half, message: string): CheckFinding[] {
  const table = FTS_TABLE[half];
  const complaint = complaintOf(run, table);
  if (complaint !== undefined) return [finding("index", table, complaint)];
  const known = run.findings.filter(({ object, area }) => area === "search-index" && object.startsWith(table));
  if (known.some(({ code, severity }) => severity === "damage" || code === "index-moved-rows")) return [];
  if (half === "trigram" && hasStructuredContent(run)) return [otherLibrary(table)];
  const detail = `The index and the rows disagree (${message}).`;
  const newest = indexStateOf(run).layout === 3;
  return [finding("index-content", table, detail, newest ? {} : { severity: "rebuild" })];
}

/** What the engine says of the index without looking at the rows; undefined when that is nothing. */
function complaintOf(run: CheckRun, table: string): string | undefined {
  try {
    const lines = run.r.tuples<[string]>(`PRAGMA integrity_check(${table})`).map(([line]) => line);
    return lines.find((line) => line !== "ok");
  } catch (error) {
    if (engineTrouble(error) !== "damage") throw error;
    return messageOf(error);
  }
}
