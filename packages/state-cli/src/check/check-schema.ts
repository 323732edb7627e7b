import { probeSchema, SCHEMA_VERSION } from "@hermes/state-schema";
import type { Reader } from "@hermes/state-schema";
import type { CheckFinding } from "./check-report.js";

const CANONICAL = ["sessions", "messages"];

/**
 * Judges the shape of the file. Age is no damage: a writing open adds what is missing (SCH-02). Messages without a
 * sessions table, or the reverse, are.
 */
export function checkSchema(r: Reader, schemaVersion: number | undefined): CheckFinding[] {
  const { missingTables, missingColumns } = probeSchema(r);
  const lost = CANONICAL.filter((table) => missingTables.includes(table));
  if (lost.length === 1) {
    const detail = `The table ${lost[0] ?? ""} is gone while its other half is there.`;
    return [{ severity: "damage", code: "missing-table", object: lost[0] ?? "", detail }];
  }
  const findings: CheckFinding[] = [];
  if (missingTables.length + missingColumns.length > 0) {
    const lacking = `${missingTables.length} tables and ${missingColumns.length} columns of the newest schema`;
    const version = `Schema version ${schemaVersion ?? "unknown"}`;
    const detail = `${version}; ${lacking} are not there yet. The first writing open adds them.`;
    findings.push({ severity: "note", code: "old-schema", object: "main", detail });
  }
  if (schemaVersion !== undefined && schemaVersion > SCHEMA_VERSION) {
    const detail = `Schema version ${schemaVersion} is newer than ${SCHEMA_VERSION}; what is unknown is left alone.`;
    findings.push({ severity: "note", code: "newer-schema", object: "main", detail });
  }
  return findings;
}
