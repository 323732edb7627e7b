import type { MaintenanceConnection } from "@hermes/state-core";
import { detectFtsLayout, FTS_LAYOUT, FTS_TABLE, META_KEYS } from "@hermes/state-schema";
import type { CreatableLayout, FtsLayout } from "@hermes/state-schema";
import { isSearchIndexName } from "../check/schema/schema-objects.js";
import { makeFilledIndex } from "./fill-index.js";
import { deleteSchemaRows, openSchema, readSchemaRows, reloadSchema, requireSchema } from "./schema-rows.js";
import type { SchemaProblem, SchemaRow } from "./schema-rows.js";
import { clearSearchMarkers } from "./search-markers.js";
import type { Change, Patient, Strategy } from "./strategy.js";

const STAMP = `
  INSERT INTO state_meta (key, value) VALUES ('${META_KEYS.ftsStorageVersion.key}', ?)
  ON CONFLICT(key) DO UPDATE SET value = excluded.value`;
const HAS_META = "SELECT 1 AS found FROM main.sqlite_master WHERE type = 'table' AND name = 'state_meta'";

/**
 * Takes every part of the search index out of the schema, readable or not, and makes it again from the messages, in the
 * layout the file had. The index of a peer's own tokenizer goes only when nothing else helps, since only that peer can
 * make it again.
 */
export const dropFtsRebuild: Strategy = {
  name: "drop_fts_rebuild",
  diagnose(patient) {
    const { connection, capabilities, findings } = patient;
    const problem = reloadSchema(connection);
    openSchema(connection);
    const rows = readSchemaRows(connection).filter(({ name }) => isSearchIndexName(name));
    if (!isConcerned(patient, problem) || rows.length === 0 || !capabilities.fts5) return undefined;
    const cjkIsDamaged =
      findings.some(({ object, severity }) => severity === "damage" && isCjk(object)) || isCjk(problem?.name ?? "");
    return rows.filter(({ name }) => !isCjk(name) || cjkIsDamaged).map(({ name }) => name);
  },
  treat(connection, names, capabilities) {
    openSchema(connection);
    const layout = creatable(detectFtsLayout(connection));
    const targets = readSchemaRows(connection).filter(({ name }) => names.includes(name));
    deleteSchemaRows(connection, targets);
    requireSchema(connection);
    const trigram = capabilities.trigram && layout !== "content-only";
    makeFilledIndex(connection, layout, trigram);
    clearSearchMarkers(connection);
    if (connection.get(HAS_META) !== undefined) stamp(connection, layout);
    return { changes: changesOf(targets, trigram), leavesPages: true };
  },
};

function isConcerned(patient: Patient, problem: SchemaProblem | undefined): boolean {
  const damaged = patient.findings.some(({ area, severity }) => area === "search-index" && severity === "damage");
  return damaged || (problem !== undefined && isSearchIndexName(problem.name));
}

function isCjk(name: string): boolean {
  return name.startsWith(FTS_TABLE.cjk);
}

/** A file whose parts disagree, or whose index is gone, gets the newest layout. */
function creatable(layout: FtsLayout): CreatableLayout {
  return layout === "none" || layout === "mixed" ? FTS_LAYOUT : layout;
}

function stamp(connection: MaintenanceConnection, layout: CreatableLayout): void {
  if (layout === 1 || layout === 2 || layout === 3) connection.run(STAMP, [String(layout)]);
}

function changesOf(rows: readonly SchemaRow[], trigram: boolean): Change[] {
  const made = [FTS_TABLE.word, ...(trigram ? [FTS_TABLE.trigram] : [])];
  const changes: Change[] = made.map((object) => ({
    kind: "recreated",
    object,
    detail: "All parts were put aside; the index was made again from the messages.",
  }));
  if (rows.some(({ name }) => isCjk(name))) {
    const detail = "The index of another program's tokenizer; that program makes it again at its next open.";
    changes.push({ kind: "lost", object: FTS_TABLE.cjk, detail });
  }
  return changes;
}
