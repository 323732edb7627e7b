import { systemRandom } from "@hermes/state-core";
import { dropUnservedTriggers, FTS_TABLE } from "@hermes/state-schema";
import type { IndexState, Writer } from "@hermes/state-schema";
import type { Steps } from "../../steps/run-steps.js";
import type { CheckRun } from "../check-run.js";
import { engineTrouble, messageOf } from "../engine-error.js";
import { finding } from "../findings.js";
import { HALVES, indexStateOf } from "../index/halves.js";
import type { Half } from "../index/halves.js";
import { missingParts } from "../index/missing-parts.js";
import type { SchemaObject } from "../schema/schema-objects.js";
import { compareIndexes } from "./compare-indexes.js";
import { writeProbeRows } from "./probe-rows.js";
import type { ProbeWriter } from "./probe-writer.js";
import { canFlush, flushIndex, writeProbeEntry } from "./rehearse-index.js";

const WHAT = "whether a message can be written, in a transaction that is rolled back";
const ID_BYTES = 12;

/**
 * Rehearses a write: a session and a message go in, every trigger fires, each index brings its new entries to its
 * pages, and all of it is rolled back. Some damage of an index shows nowhere else (REP-01).
 *
 * @param shared - Others use the file: what would be long inside a write is left out.
 */
export function* checkWrites(
  run: CheckRun,
  objects: readonly SchemaObject[],
  writer: ProbeWriter | undefined,
  shared: boolean,
): Steps<void> {
  const names = new Set(objects.map(({ name }) => name));
  if (!names.has("sessions") || !names.has("messages")) return;
  if (writer === undefined) {
    run.left(`${WHAT}: the file was not opened for writing`);
    return;
  }
  yield { phase: "write", done: 0, total: 1 };
  const halves = writableHalves(indexStateOf(run), names);
  if (attempt(run, () => rehearseRows(run, writer, halves, names.has("state_meta")))) run.saw(WHAT);
  yield { phase: "write", done: 1, total: 1 };
  yield* compareIndexes(run, halves, writer, shared);
}

/** Indexes that a write reaches, complete enough to be asked. */
function writableHalves(state: IndexState, names: ReadonlySet<string>): Half[] {
  if (state.stale) return [];
  return HALVES.filter((half) => state[half].readable && missingParts(names, half, state.layout).length === 0);
}

/** @returns False when the rehearsal could not take place. */
function attempt(run: CheckRun, rehearse: () => void): boolean {
  try {
    rehearse();
    return true;
  } catch (error) {
    const detail = messageOf(error);
    const trouble = engineTrouble(error);
    // Somebody else is writing, or the medium refuses: nothing is known against the file, and its rows were looked at.
    if (trouble === "busy" || trouble === "environment") run.left(`${WHAT} (${detail})`);
    else if (trouble === "capability") {
      run.add(finding("capability", "messages", `A trigger cannot run here: ${detail}.`));
      run.left(`${WHAT} (${detail})`);
    } else throw error;
    return false;
  }
}

function rehearseRows(run: CheckRun, writer: ProbeWriter, halves: readonly Half[], marks: boolean): void {
  const flush = writer.rehearse(canFlush);
  const rows = failureOf(writer, (w) => {
    // As every writer does that meets triggers which cannot run here.
    if (marks) dropUnservedTriggers(w, run.capabilities);
    writeProbeRows(w, `hermes-probe-${systemRandom.hex(ID_BYTES)}`);
    if (flush) for (const half of halves) flushIndex(w, half);
  });
  const entries = halves.map((half) => [half, failureOf(writer, (w) => writeProbeEntry(w, half, flush))] as const);
  for (const [half, failure] of entries) {
    if (failure === undefined) continue;
    const detail = `The index cannot take in a message: ${failure}.`;
    run.add(finding("index-write", FTS_TABLE[half], detail));
  }
  if (rows === undefined || entries.some(([, failure]) => failure !== undefined)) return;
  // An index that lacks a part was not asked on its own; its triggers fail whoever writes.
  const broken = run.findings.find(({ code }) => code === "index-parts");
  if (broken) run.add(finding("index-write", broken.object, `A message cannot be written: ${rows}.`));
  else run.add(finding("write", "messages", `A message cannot be written: ${rows}.`));
}

/** What damage says when something is tried; undefined when it went well. */
function failureOf(writer: ProbeWriter, rehearse: (w: Writer) => void): string | undefined {
  try {
    writer.rehearse(rehearse);
    return undefined;
  } catch (error) {
    if (engineTrouble(error) !== "damage") throw error;
    return messageOf(error);
  }
}
