import { probeSql, REQUIRED_TABLES } from "@hermes/state-schema";

/** Statements that return nothing, and fail on a file that lacks a table or a column; one for each table. */
export function schemaReadProbeStatements(): string[] {
  return REQUIRED_TABLES.map(probeSql);
}
