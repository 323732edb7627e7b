import type { Reader } from "@hermes/state-schema";
import type { ProgressOptions } from "@hermes/state-core";
import { runSteps } from "../steps/run-steps.js";
import type { Steps } from "../steps/run-steps.js";
import type { CheckLevel, CheckOutcome } from "./check-report.js";
import { CheckRun } from "./check-run.js";
import { checkIndexes } from "./index/check-indexes.js";
import { engineTrouble } from "./engine-error.js";
import { checkPages } from "./pages/check-pages.js";
import type { PageOptions } from "./pages/check-pages.js";
import { checkRows } from "./rows/check-rows.js";
import { checkSchema } from "./schema/check-schema.js";
import { checkWrites } from "./writes/check-writes.js";
import { willCompare } from "./writes/compare-indexes.js";
import type { ProbeWriter } from "./writes/probe-writer.js";

/** How to check a connection. */
export interface CheckConnectionOptions extends ProgressOptions {
  readonly level: CheckLevel;
  /** A second connection for writes that are rolled back; without one the answer says that it did not try to write. */
  readonly writer?: ProbeWriter | undefined;
  /** Others use the file: then rolled-back writes stay short, and what needs them to be long is left out. */
  readonly shared?: boolean;
  /** Files up to this size are asked about their pages at once, larger ones table by table. Default 128 MiB. */
  readonly atOnceBytes?: number;
}

/** As {@link checkConnection}, in steps. */
export function* connectionSteps(r: Reader, options: CheckConnectionOptions): Steps<CheckOutcome> {
  const run = new CheckRun(r, options.level);
  const objects = yield* checkSchema(run);
  if (objects === undefined) {
    run.left("everything else: nothing can be read without the schema");
    return run.outcome();
  }
  if (options.level !== "glance") yield* checkPages(run, objects, pageOptions(run, options));
  yield* checkRows(run, objects);
  if (options.level === "glance") {
    run.left("pages, search indexes and every other row (level quick)");
    return run.outcome();
  }
  yield* checkIndexes(run, objects);
  yield* checkWrites(run, objects, options.writer, options.shared ?? true);
  return run.outcome();
}

function pageOptions(run: CheckRun, { atOnceBytes, writer, shared = true }: CheckConnectionOptions): PageOptions {
  try {
    return { atOnceBytes, comparedLater: writer !== undefined && willCompare(run, shared) };
  } catch (error) {
    // Notes about the index that cannot be read are found where they are looked at.
    if (engineTrouble(error) !== "damage") throw error;
    return { atOnceBytes, comparedLater: false };
  }
}

/**
 * Everything a check asks of an open file (REP-01): schema, pages, rows, search indexes and, given a writer, whether a
 * message could be written. Nothing reaches the file.
 *
 * @param r - A connection that only reads.
 */
export function checkConnection(r: Reader, options: CheckConnectionOptions): CheckOutcome {
  return runSteps(connectionSteps(r, options), options);
}
