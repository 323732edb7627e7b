import type { Steps } from "../../steps/run-steps.js";
import type { CheckFinding } from "../check-report.js";
import type { CheckRun } from "../check-run.js";
import { finding } from "../findings.js";
import { guarded } from "../guarded.js";
import { isRowTable } from "../schema/schema-objects.js";
import type { SchemaObject } from "../schema/schema-objects.js";
import { checkReferences } from "./check-references.js";
import { readTable } from "./read-table.js";

const SAMPLED = ["sessions", "messages"];

/**
 * Reads rows, from their tables and with every byte of every column: a count may walk an index and prove nothing. The
 * quick level reads the first and the last rows of sessions and messages, the full level all rows of all tables.
 */
export function* checkRows(run: CheckRun, objects: readonly SchemaObject[]): Steps<void> {
  const full = run.level === "full";
  const tables = objects.filter((object) => isRowTable(object) && (full || SAMPLED.includes(object.name)));
  const broken = (detail: string): CheckFinding => finding("unreadable-rows", "main", `${detail}.`);
  const what = full ? "every row of every table" : "the first and the last sessions and messages";
  if (run.level === "quick") run.left("every row (level full)");
  yield* guarded(run, what, broken, function* () {
    for (const { name } of tables) yield* readTable(run, name);
  });
  if (run.level !== "glance") yield* checkReferences(run, objects);
}
