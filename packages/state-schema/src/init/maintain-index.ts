import { createIndexObjects } from "../fts/create-index.js";
import { detachFts } from "../fts/detach-fts.js";
import type { SqliteCapabilities } from "../fts/capabilities.js";
import { isHollow } from "../fts/is-hollow.js";
import { isIndexEmpty } from "../fts/is-index-empty.js";
import { FTS_TABLE } from "../fts/names.js";
import { rebuildLegacy } from "../fts/rebuild-legacy.js";
import { recoverIndex } from "../fts/recover-index.js";
import { stepBackfill } from "../fts/step-backfill.js";
import { META_KEYS } from "../meta-keys.js";
import type { Reader, SchemaHost, Writer } from "../sql/handles.js";
import { attemptStep } from "./attempt-step.js";
import { planIndex, type IndexPlan } from "./index-plan.js";
import type { ReportDraft } from "./report-draft.js";
import { hasTable, readSchemaFacts, type SchemaFacts } from "./schema-facts.js";
import { missingLayoutStamp, stampLayout } from "./stamp-layout.js";

/**
 * Makes the search index follow new writes again where it does not, and stamps its layout where it is settled. Nothing
 * here fails an open: what cannot be done is reported and tried again at the next one.
 *
 * @param steps - How many backfill steps an index that was emptied now gets at once.
 * @returns The facts as they are afterwards.
 */
export function maintainIndex(host: SchemaHost, facts: SchemaFacts, draft: ReportDraft, steps: number): SchemaFacts {
  const maintained = attemptStep(host, draft, "maintain the search index", () => maintain(host, facts, draft, steps));
  return maintained ?? readSchemaFacts(host);
}

function maintain(host: SchemaHost, before: SchemaFacts, draft: ReportDraft, steps: number): SchemaFacts {
  const { capabilities } = draft;
  let facts = before;
  const stale = facts.meta.has(META_KEYS.ftsStale.key);
  const plan = stale ? "none" : planFor(host, facts, draft);
  if (stale && capabilities.fts5) recover(host, draft);
  else if (plan !== "none") draft.index.restored = restore(host, plan, draft);
  if (stale || plan !== "none") facts = fill(host, draft, steps);
  if (missingLayoutStamp(host, facts, capabilities) === undefined) return facts;
  return host.transaction("stamp the search layout", (w) => {
    stampLayout(w, readSchemaFacts(w), capabilities);
    return readSchemaFacts(w);
  });
}

/** A stale index is replaced, or says why not (SEA-11). */
function recover(host: SchemaHost, draft: ReportDraft): void {
  const recovery = recoverIndex(host, draft.capabilities);
  if (recovery.kind === "deferred") draft.index.deferred = recovery;
  if (recovery.kind === "recovered") draft.index.restored = "recovered";
}

function planFor(r: Reader, facts: SchemaFacts, { capabilities }: ReportDraft): IndexPlan {
  const external = facts.layout === 1 || facts.layout === 2 || facts.layout === 3;
  const empty = external && capabilities.fts5 && (isIndexEmpty(r) || hasHollowIndex(r, facts, capabilities));
  return planIndex(facts, capabilities, empty);
}

/** An index whose structure record was wiped is empty, whatever else is in its tables. */
function hasHollowIndex(r: Reader, facts: SchemaFacts, capabilities: SqliteCapabilities): boolean {
  return [FTS_TABLE.word, ...(capabilities.trigram ? [FTS_TABLE.trigram] : [])].some(
    (table) => hasTable(facts, `${table}_data`) && hasTable(facts, `${table}_docsize`) && isHollow(r, table),
  );
}

function restore(host: SchemaHost, plan: IndexPlan, draft: ReportDraft): ReportDraft["index"]["restored"] {
  if (plan !== "rebuild") return host.transaction("restore the search index", (w) => apply(w, plan, draft, false));
  const admission = host.admitRebuild();
  if (admission.kind === "deferred") {
    draft.index.deferred = admission;
    return host.transaction("detach the search index", (w) => apply(w, plan, draft, false));
  }
  try {
    return host.transaction("rebuild the search index", (w) => apply(w, plan, draft, true));
  } finally {
    admission.release();
  }
}

/** Does what is still needed: a sibling may have been faster. */
function apply(w: Writer, plan: IndexPlan, draft: ReportDraft, admitted: boolean): ReportDraft["index"]["restored"] {
  const facts = readSchemaFacts(w);
  const { layout } = facts;
  if (planFor(w, facts, draft) !== plan) return undefined;
  if (plan === "rebuild" && admitted && (layout === 0 || layout === "content-only")) {
    rebuildLegacy(w, layout, draft.capabilities);
    return "rebuilt";
  }
  if (plan === "rebuild" || plan === "detach") {
    detachFts(w);
    return "detached";
  }
  createIndexObjects(w, draft.capabilities, layout === 1 || layout === 2 ? layout : 3);
  return plan === "create" ? "created" : "reset";
}

function fill(host: SchemaHost, draft: ReportDraft, steps: number): SchemaFacts {
  const { restored } = draft.index;
  const filling = restored === "created" || restored === "reset" || restored === "recovered";
  for (let step = 0; filling && step < steps; step += 1) {
    if (host.transaction("fill the search index", (w) => stepBackfill(w, draft.capabilities)) !== "more") break;
  }
  return readSchemaFacts(host);
}
