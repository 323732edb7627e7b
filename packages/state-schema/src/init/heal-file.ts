import type { SchemaHost } from "../sql/handles.js";
import { TABLES } from "../tables/tables.js";
import { healNullActive, needsNullActiveHeal } from "./heals/heal-null-active.js";
import { healPrimaryKey, needsKeyHeal, type KeyHeal } from "./heals/heal-primary-key.js";
import { healTitleIndex, needsTitleIndex } from "./heals/heal-title-index.js";
import type { ReportDraft } from "./report-draft.js";
import { readSchemaFacts, type SchemaFacts } from "./schema-facts.js";
import { isDefect } from "./statement-error.js";

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
    attempt(draft, `heal the key of ${heal.table.name}`, () => {
      const healed = host.withoutForeignKeys(() =>
        host.transaction(`heal the key of ${heal.table.name}`, (w) => healPrimaryKey(w, heal)),
      );
      if (heal === ROUTING) draft.healed.routingKey = healed;
      else draft.healed.usageKey = healed;
    });
  }
  if (nullActive) {
    attempt(draft, "heal messages without active", () => {
      draft.healed.nullActive = host.transaction("heal messages without active", healNullActive);
    });
  }
  if (titles) {
    attempt(draft, "make titles unique", () => {
      draft.healed.duplicateTitles = host.transaction("make titles unique", healTitleIndex);
    });
  }
  return readSchemaFacts(host);
}

function attempt(draft: ReportDraft, step: string, fn: () => void): void {
  try {
    fn();
  } catch (error) {
    if (isDefect(error)) throw error;
    draft.problems.push({ step, error });
  }
}
