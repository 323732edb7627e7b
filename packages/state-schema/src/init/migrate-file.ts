import type { SqliteCapabilities } from "../fts/capabilities.js";
import type { SchemaHost } from "../sql/handles.js";
import { attemptStep } from "./attempt-step.js";
import type { InitializeOptions } from "./initialize-options.js";
import { COPY_LEGACY_ROUTING } from "./migrations/copy-legacy-routing.js";
import type { Migration, MigrationContext } from "./migrations/migration.js";
import { MOVE_PROMPTS } from "./migrations/move-prompts.js";
import { OFFER_OPTIMIZE } from "./migrations/offer-optimize.js";
import { RENEW_TRIGRAM } from "./migrations/renew-trigram.js";
import { SEED_USAGE } from "./migrations/seed-usage.js";
import { TAG_DELEGATES } from "./migrations/tag-delegates.js";
import type { ReportDraft } from "./report-draft.js";
import { hasTable, readSchemaFacts, type SchemaFacts } from "./schema-facts.js";
import { stampVersion } from "./stamp-version.js";
import { latestGate } from "./version-gates.js";

/** In order of their gates. Gates below 16 and 22 are covered by layouts that are left alone and by the key heal. */
const MIGRATIONS: readonly Migration[] = [
  TAG_DELEGATES,
  COPY_LEGACY_ROUTING,
  SEED_USAGE,
  OFFER_OPTIMIZE,
  MOVE_PROMPTS,
  RENEW_TRIGRAM,
];

/**
 * Runs the data migrations a file still needs (SCH-04). Each raises the stamp when it is complete, so a later open goes
 * on where this one stopped; the first that cannot finish pauses the rest and never fails the open.
 *
 * @returns The facts as they are afterwards.
 */
export function migrateFile(
  host: SchemaHost,
  facts: SchemaFacts,
  draft: ReportDraft,
  options: InitializeOptions,
): SchemaFacts {
  if (!hasTable(facts, "schema_version")) return facts;
  const { capabilities } = draft;
  const stamp = facts.version;
  const due = stamp === undefined ? [firstStamp(capabilities)] : MIGRATIONS.filter(({ gate }) => gate > stamp);
  if (due.length === 0) return facts;
  const held = due.find((migration) => !runOne(migration, host, draft, options));
  draft.pausedAt = held?.gate;
  return readSchemaFacts(host);
}

/** A file whose stamp was lost is taken for a current one, as the peer does: no old data is known to be in it. */
function firstStamp(capabilities: SqliteCapabilities): Migration {
  const gate = latestGate(capabilities);
  const run = ({ host }: MigrationContext): boolean => {
    host.transaction("stamp the version", (w) => stampVersion(w, gate));
    return true;
  };
  return { gate, about: "stamp the version", run };
}

function runOne(migration: Migration, host: SchemaHost, draft: ReportDraft, options: InitializeOptions): boolean {
  const context = { host, capabilities: draft.capabilities, options };
  const complete = attemptStep(host, draft, migration.about, () => migration.run(context)) ?? false;
  if (complete) draft.migrated.push(migration.gate);
  return complete;
}
