import type { SchemaHost, Writer } from "../sql/handles.js";
import { TABLES } from "../tables/tables.js";
import { attemptStep } from "./attempt-step.js";
import { healNullActive, needsNullActiveHeal } from "./heals/heal-null-active.js";
import { healPrimaryKey, needsKeyHeal, type KeyHeal } from "./heals/heal-primary-key.js";
import { healTitleIndex, needsTitleIndex } from "./heals/heal-title-index.js";
import type { ReportDraft } from "./report-draft.js";
import { readSchemaFacts, type SchemaFacts } from "./schema-facts.js";

/** The newest entry of a peer wins. */
const ROUTING: KeyHeal = { table: TABLES.gateway_routing, conflict: "REPLACE", orderBy: "updated_at, rowid" };
const USAGE: KeyHeal = { table: TABLES.session_model_usage, conflict: "IGNORE", orderBy: "rowid" };

/**
 * Puts right what reconciliation cannot express (SCH-03), each defect in its own transaction. A heal that fails is
 * reported and tried again at the next open.
 *
 * @returns The facts as they are afterwards.
 */
export function healFile(host: SchemaHost, facts: SchemaFacts, draft: ReportDraft): SchemaFacts {
  const keys = [ROUTING, USAGE].filter((heal) => needsKeyHeal(facts, heal.table));
  const nullActive = needsNullActiveHeal(host, facts);
  const titles = needsTitleIndex(facts);
  if (keys.length === 0 && !nullActive && !titles) return facts;

  for (const heal of keys) {
    const step = `heal the key of ${heal.table.name}`;
    const inWindow = (): boolean =>
      host.withoutForeignKeys(() => host.transaction(step, (w) => healPrimaryKey(w, heal)));
    const healed = attemptStep(host, draft, step, inWindow) ?? false;
    if (heal === ROUTING) draft.healed.routingKey = healed;
    else draft.healed.usageKey = healed;
  }
  const run = (step: string, fn: (w: Writer) => number): number =>
    attemptStep(host, draft, step, () => host.transaction(step, fn)) ?? 0;
  if (nullActive) draft.healed.nullActive = run("heal messages without active", healNullActive);
  if (titles) draft.healed.duplicateTitles = run("make titles unique", healTitleIndex);
  return readSchemaFacts(host);
}
