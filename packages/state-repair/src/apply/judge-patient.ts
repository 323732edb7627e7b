import { openMaintenanceConnection } from "@hermes/state-core";
import type { MaintenanceConnection } from "@hermes/state-core";
import { judgeRoots } from "../strategies/judge-roots.js";
import { openSchema, readSchemaRows } from "../strategies/schema-rows.js";
import { missingRows } from "./missing-rows.js";
import { proveRows } from "./rows-proof.js";
import type { RowsProof } from "./rows-proof.js";

/** Whether a repair may be tried on a file at all: its rows, or why only recovery can help. */
export type Judgement =
  | { readonly kind: "treatable"; readonly rows: RowsProof }
  | { readonly kind: "rows-damaged"; readonly rows: RowsProof | undefined; readonly why: readonly string[] };

const CANONICAL = ["sessions", "messages"];

/**
 * Looks at the rows before anything is treated. A repair makes indexes and schema entries again from the rows; where
 * the rows themselves are damaged, it would only make the loss look sound, so such files are left to recovery (REP-06).
 *
 * @param path - A copy of the file.
 */
export function judgePatient(path: string): Judgement {
  using connection = openMaintenanceConnection(path, { unsafe: true });
  try {
    openSchema(connection);
    return judge(connection);
  } catch (error) {
    if (!isEngineError(error)) throw error;
    return { kind: "rows-damaged", rows: undefined, why: [`the file cannot be read: ${error.message}`] };
  }
}

function judge(connection: MaintenanceConnection): Judgement {
  const { tables: misplaced } = judgeRoots(connection, readSchemaRows(connection));
  const rows = proveRows(connection);
  const why = [
    ...misplaced.map(({ name, root }) => `${name} begins on page ${root}, which is not its own`),
    ...Object.entries(rows.unreadable).map(([name, reason]) => `rows of ${name} cannot be read: ${reason}`),
    ...CANONICAL.filter((name) => !(name in rows.tables) && !(name in rows.unreadable)).map(
      (name) => `the table ${name} is not there, or its definition cannot be read`,
    ),
    ...(misplaced.length > 0 ? [] : missingRows(connection)).map(
      ({ table, rows: count, indexes }) =>
        `${count} rows of ${table} are listed by ${indexes.join(" and ")} and are not in the table`,
    ),
  ];
  return why.length === 0 ? { kind: "treatable", rows } : { kind: "rows-damaged", rows, why };
}

function isEngineError(error: unknown): error is Error {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith("SQLITE_");
}
