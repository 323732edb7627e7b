import { probeSchema, readSchemaVersion, SCHEMA_VERSION } from "@hermes/state-schema";
import type { Reader } from "@hermes/state-schema";
import type { Steps } from "../../steps/run-steps.js";
import type { CheckFinding } from "../check-report.js";
import type { CheckRun } from "../check-run.js";
import { engineTrouble, messageOf } from "../engine-error.js";
import { finding } from "../findings.js";
import { guarded } from "../guarded.js";
import { judgeObjects } from "./judge-objects.js";
import { readObjects } from "./schema-objects.js";
import type { SchemaObject } from "./schema-objects.js";

const CANONICAL = ["sessions", "messages"];
const MALFORMED = /malformed database schema \((.*?)\)(?: - (.*))?$/s;

/**
 * Reads the schema and judges it against itself and against the table model.
 *
 * @returns The objects of the file; undefined when they cannot be read, and then nothing else of it can.
 */
export function* checkSchema(run: CheckRun): Steps<readonly SchemaObject[] | undefined> {
  yield { phase: "schema", done: 0, total: 1 };
  let objects: readonly SchemaObject[] | undefined;
  yield* guarded(run, "the table of objects: doubles, names, roots", unreadable, function* () {
    objects = readObjects(run.r);
    run.add(...judgeObjects(objects));
    yield { phase: "schema", done: 1, total: 1 };
  });
  const known = objects;
  if (known === undefined) return undefined;
  yield* guarded(run, "tables and columns against the schema", unreadable, function* () {
    run.add(...judgeModel(run.r, known));
    yield { phase: "schema", done: 1, total: 1 };
  });
  return known;
}

/** The engine names the first object that it cannot make sense of, and reads nothing else then. */
function unreadable(detail: string, error: unknown): CheckFinding {
  const [, name, why = ""] = MALFORMED.exec(messageOf(error)) ?? [];
  if (name === undefined) return finding("schema-unreadable", "main", `The schema cannot be read: ${detail}.`);
  if (name === "" || name === "?") {
    return finding("schema-nameless", "sqlite_master", `An object of the schema has no name (${why}).`);
  }
  if (/already exists/.test(why)) return finding("schema-duplicate", name, `${name} stands in the schema twice.`);
  const because = why === "" ? "" : `: ${why}`;
  return finding("schema-unreadable", name, `The definition of ${name} cannot be read${because}.`);
}

/**
 * Age is no damage: a writing open adds what is missing (SCH-02). Messages without a sessions table, or the reverse,
 * are.
 */
function judgeModel(r: Reader, objects: readonly SchemaObject[]): CheckFinding[] {
  const tables = new Set(objects.filter(({ type }) => type === "table").map(({ name }) => name));
  const lost = CANONICAL.filter((table) => !tables.has(table));
  if (lost.length === CANONICAL.length) return [emptyFile(tables)];
  const [table] = lost;
  if (table !== undefined) {
    return [finding("missing-table", table, `The table ${table} is gone while its other half is there.`)];
  }
  return [...judgeColumns(r), ...judgeVersion(r)];
}

function emptyFile(tables: ReadonlySet<string>): CheckFinding {
  const detail =
    tables.size === 0
      ? "The file has no tables yet, as after an interrupted creation."
      : "The file has tables of other programs and none of ours.";
  return finding("new-store", "main", detail);
}

function judgeColumns(r: Reader): CheckFinding[] {
  const { missingTables, missingColumns } = probeSchema(r);
  if (missingTables.length + missingColumns.length === 0) return [];
  const lacking = `${missingTables.length} tables and ${missingColumns.length} columns of the newest schema`;
  return [finding("old-schema", "main", `${lacking} are not there yet; the first writing open adds them.`)];
}

function judgeVersion(r: Reader): CheckFinding[] {
  const version = versionOf(r);
  if (version === undefined || version <= SCHEMA_VERSION) return [];
  const detail = `Schema version ${version} is newer than ${SCHEMA_VERSION}; what is unknown is left alone.`;
  return [finding("newer-schema", "main", detail)];
}

function versionOf(r: Reader): number | undefined {
  try {
    return readSchemaVersion(r);
  } catch (error) {
    // The oldest files have no version table; damage of it is found where rows are read.
    if (engineTrouble(error) !== "damage") throw error;
    return undefined;
  }
}
