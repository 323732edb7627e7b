import { FTS_TABLE } from "@hermes/state-schema";
import type { IndexState } from "@hermes/state-schema";
import type { Steps } from "../../steps/run-steps.js";
import type { CheckFinding } from "../check-report.js";
import type { CheckRun } from "../check-run.js";
import { engineTrouble, messageOf } from "../engine-error.js";
import { finding } from "../findings.js";
import { guarded } from "../guarded.js";
import type { SchemaObject } from "../schema/schema-objects.js";
import { checkCoverage } from "./check-coverage.js";
import { checkTerms } from "./check-terms.js";
import { HALVES, indexStateOf } from "./halves.js";
import type { Half } from "./halves.js";
import { missingParts } from "./missing-parts.js";

const WHAT = "which messages the search indexes know, and words of some messages in them";

/**
 * Proves that the search indexes cover the rows: which rows each index knows against which rows there are, and whether
 * words of rows are found under those rows. A store whose pages are all sound can fail here (P01).
 */
export function* checkIndexes(run: CheckRun, objects: readonly SchemaObject[]): Steps<void> {
  const names = new Set(objects.map(({ name }) => name));
  if (!names.has("messages")) return;
  yield { phase: "index", done: 0, total: undefined };
  const unreadable = (detail: string): CheckFinding => finding("index-unreadable", FTS_TABLE.word, `${detail}.`);
  yield* guarded(run, WHAT, unreadable, function* () {
    const state = indexStateOf(run);
    run.add(...stateFindings(state, names));
    if (state.layout === "none" || state.stale) return;
    for (const half of HALVES) yield* checkHalf(run, state, half, names);
  });
}

function stateFindings({ layout, stale, pending }: IndexState, names: ReadonlySet<string>): CheckFinding[] {
  if (layout === "none") return [finding("no-index", "main", "There is no search index; searches read every message.")];
  if (stale) {
    const detail = "The index was detached and waits to be made again; searches read every message.";
    return [finding("index-stale", FTS_TABLE.word, detail)];
  }
  return [...pendingFinding(pending), ...foreignTokenizer(names)];
}

function pendingFinding(pending: IndexState["pending"]): CheckFinding[] {
  if (!pending) return [];
  const window = `${pending.progress + 1} to ${pending.highWater}`;
  const detail = `Messages ${window} wait to be indexed; searches read them instead.`;
  return [finding("index-pending", FTS_TABLE.word, detail)];
}

/** Written by peers with a native tokenizer; without it nothing can be said, and nothing is wrong (SCH-09). */
function foreignTokenizer(names: ReadonlySet<string>): CheckFinding[] {
  if (!names.has(FTS_TABLE.cjk)) return [];
  return [
    finding("capability", FTS_TABLE.cjk, "This index needs a tokenizer that is not linked; searches do without it."),
  ];
}

function* checkHalf(run: CheckRun, seen: IndexState, half: Half, names: ReadonlySet<string>): Steps<void> {
  const table = FTS_TABLE[half];
  const hindrance = hindranceOf(seen, half, names);
  if (hindrance !== undefined) {
    run.add(hindrance);
    return;
  }
  if (!seen[half].triggers) {
    run.add(finding("index-detached", table, "New messages do not reach this index until the next writing open."));
  }
  try {
    yield* checkCoverage(run, half);
    yield* checkTerms(run, half);
  } catch (error) {
    if (engineTrouble(error) !== "damage") throw error;
    run.add(finding("index-unreadable", table, `The index cannot be read: ${messageOf(error)}.`));
  }
}

/** Why an index cannot be looked at. */
function hindranceOf(seen: IndexState, half: Half, names: ReadonlySet<string>): CheckFinding | undefined {
  const table = FTS_TABLE[half];
  const { present, readable } = seen[half];
  if (!present) return finding("no-index", table, "This index is not there; searches do without it.");
  if (!readable) {
    return finding("capability", table, "The linked SQLite cannot read this index; searches do without it.");
  }
  const gone = missingParts(names, half, seen.layout);
  if (gone.length === 0) return undefined;
  return finding("index-parts", table, `Parts of the index are gone: ${gone.join(", ")}.`);
}
