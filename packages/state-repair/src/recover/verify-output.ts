import { openMaintenanceConnection } from "@hermes/state-core";
import type { MaintenanceConnection, ProgressOptions } from "@hermes/state-core";
import { META_KEYS, SCHEMA_VERSION } from "@hermes/state-schema";
import { checkStore } from "../check/check-store.js";
import { quote } from "./copy-statements.js";
import { outputColumns } from "./shape-output.js";

/** What a look at the finished output says. */
export interface OutputVerdict {
  readonly counts: Readonly<Record<string, number>>;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

const VERSION_SQL = "SELECT MAX(version) AS version FROM schema_version";
const PENDING_SQL = "SELECT key FROM state_meta WHERE key IN (?, ?, ?)";
const LATEST_SQL = `
  SELECT MAX((SELECT COALESCE(MAX(timestamp), 0) FROM messages WHERE typeof(timestamp) <> 'text'),
    (SELECT COALESCE(MAX(started_at), 0) FROM sessions WHERE typeof(started_at) <> 'text')) AS latest,
    (SELECT COUNT(*) FROM messages) + (SELECT COUNT(*) FROM sessions) AS count`;
const EARLIEST = 1_000_000_000;

/** A table of which nothing was found need not be in the output. */
function countTables(output: MaintenanceConnection, tables: readonly string[]): Record<string, number> {
  const count = (name: string): number =>
    outputColumns(output, name).length === 0
      ? 0
      : (output.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${quote(name)}`)?.n ?? 0);
  return Object.fromEntries(tables.map((name) => [name, count(name)]));
}

/** Rows of which no time makes sense were not read from a store of conversations. */
function isNonsense(output: MaintenanceConnection): boolean {
  const found = output.get<{ latest: number | null; count: number }>(LATEST_SQL);
  return found !== undefined && found.count > 0 && (found.latest ?? 0) < EARLIEST;
}

function lookInside(output: MaintenanceConnection, tables: readonly string[], bestEffort: boolean): OutputVerdict {
  const errors: string[] = [];
  const broken = output.all("PRAGMA foreign_key_check").length;
  if (broken > 0) errors.push(`${broken} rows of the output refer to rows that are not there`);
  const version = output.get<{ version: number }>(VERSION_SQL)?.version;
  if (version !== SCHEMA_VERSION) errors.push(`the output has schema version ${String(version)}`);
  const { ftsStale, ftsRebuildHighWater, ftsRebuildProgress } = META_KEYS;
  const pending = output.all(PENDING_SQL, [ftsStale.key, ftsRebuildHighWater.key, ftsRebuildProgress.key]).length;
  if (pending > 0) errors.push("the search index of the output is not complete");
  if (bestEffort && isNonsense(output)) errors.push("no row that was salvaged has a plausible time");
  return { counts: countTables(output, tables), errors, warnings: [] };
}

/**
 * Checks the finished output: a full check of the file, references, versions, markers, and the number of its rows.
 *
 * @param tables - Tables to count.
 */
export async function verifyOutput(
  path: string,
  tables: readonly string[],
  bestEffort: boolean,
  { onProgress, signal }: ProgressOptions,
): Promise<OutputVerdict> {
  const { verdict, findings } = await checkStore(path, { level: "full", onProgress, signal });
  const bad = findings.filter(({ severity }) => severity === "damage");
  const others = findings.filter(({ severity }) => severity !== "damage");
  using output = openMaintenanceConnection(path, { readonly: true });
  const inside = lookInside(output, tables, bestEffort);
  const text = bad.map(({ code, object, detail }) => `the output is not sound: ${code} ${object}: ${detail}`);
  if (verdict !== "healthy" && bad.length === 0) text.push(`the check of the output ended with "${verdict}"`);
  return {
    counts: inside.counts,
    errors: [...text, ...inside.errors],
    warnings: others.map(({ object, detail }) => `${object}: ${detail}`),
  };
}
