import { probeCapabilities } from "../fts/capabilities.js";
import { META_KEYS } from "../meta-keys.js";
import type { SchemaHost } from "../sql/handles.js";
import { applyStructure, needsStructure } from "./apply-structure.js";
import { healFile } from "./heal-file.js";
import { maintainIndex } from "./maintain-index.js";
import { migrateFile } from "./migrate-file.js";
import type { InitializeOptions } from "./initialize-options.js";
import { createReportDraft, type ReportDraft } from "./report-draft.js";
import { readSchemaFacts, type SchemaFacts } from "./schema-facts.js";
import type { SchemaReport } from "./schema-report.js";
import { isNewer } from "./structure-plan.js";

/**
 * Brings a file to the newest shape and reports what it did. A fresh file is created in one transaction; an up-to-date
 * one is only read; anything that cannot be done now is left for the next open and never fails this one (SCH-04).
 *
 * @param host - The connection, with its locking and retrying. Busy errors of structural work leave as they come.
 */
export function initializeSchema(host: SchemaHost, options: InitializeOptions = {}): SchemaReport {
  const capabilities = options.sqliteCapabilities ?? probeCapabilities(host);
  const draft = createReportDraft(capabilities);
  const before = readFactsPatiently(host);
  let facts = before;
  if (needsStructure(facts, capabilities)) {
    facts = mergeStructure(host, draft);
  }
  if (!isNewer(facts)) {
    facts = healFile(host, facts, draft);
    facts = migrateFile(host, facts, draft, options);
    facts = maintainIndex(host, facts, draft, options.backfillSteps ?? 20);
  }
  return finish(draft, before, facts);
}

function mergeStructure(host: SchemaHost, draft: ReportDraft): SchemaFacts {
  const done = host.transaction("bring the schema up to date", (w) => ({
    ...applyStructure(w, host, draft.capabilities),
    facts: readSchemaFacts(w),
  }));
  draft.created = done.created;
  draft.addedTables.push(...done.addedTables);
  draft.addedColumns.push(...done.addedColumns);
  draft.addedIndexes.push(...done.addedIndexes);
  draft.problems.push(...done.problems);
  draft.index.droppedTriggers = done.droppedTriggers;
  draft.index.cjkMarkedStale = done.cjkMarkedStale;
  draft.index.narrowedTriggers = done.narrowedTriggers;
  if (done.created && draft.capabilities.fts5) draft.index.restored = "created";
  return done.facts;
}

/** A file that is locked for reading is read under the patience of a transaction. */
function readFactsPatiently(host: SchemaHost): SchemaFacts {
  try {
    return readSchemaFacts(host);
  } catch (error) {
    if (!host.isBusy(error)) throw error;
    return host.transaction("read the schema", readSchemaFacts);
  }
}

function finish(draft: ReportDraft, before: SchemaFacts, facts: SchemaFacts): SchemaReport {
  draft.index.pending = facts.meta.has(META_KEYS.ftsRebuildHighWater.key);
  const { locked: _locked, ...report } = draft;
  return {
    ...report,
    versionBefore: before.version,
    versionAfter: facts.version,
    newer: isNewer(facts),
    layout: facts.layout,
  };
}
