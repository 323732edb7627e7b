import { createIndexObjects } from "../fts/create-index.js";
import { detachFts } from "../fts/detach-fts.js";
import { isIndexEmpty } from "../fts/is-index-empty.js";
import { rebuildLegacy } from "../fts/rebuild-legacy.js";
import { stepBackfill } from "../fts/step-backfill.js";
import type { Reader, SchemaHost, Writer } from "../sql/handles.js";
import { attemptStep } from "./attempt-step.js";
import { planIndex, type IndexPlan } from "./index-plan.js";
import type { ReportDraft } from "./report-draft.js";
import { readSchemaFacts, type SchemaFacts } from "./schema-facts.js";
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
  const plan = planFor(host, facts, draft);
  if (plan !== "none") {
    draft.index.restored = restore(host, plan, draft);
    facts = fill(host, draft, steps);
  }
  if (missingLayoutStamp(host, facts, capabilities) === undefined) return facts;
  return host.transaction("stamp the search layout", (w) => {
    stampLayout(w, readSchemaFacts(w), capabilities);
    return readSchemaFacts(w);
  });
}

function planFor(r: Reader, facts: SchemaFacts, draft: ReportDraft): IndexPlan {
  const external = facts.layout === 1 || facts.layout === 2 || facts.layout === 3;
  return planIndex(facts, draft.capabilities, external && draft.capabilities.fts5 && isIndexEmpty(r));
}

function restore(host: SchemaHost, plan: IndexPlan, draft: ReportDraft): ReportDraft["index"]["restored"] {
  if (plan !== "rebuild") return host.transaction("restore the search index", (w) => apply(w, plan, draft, false));
  const release = host.admitRebuild();
  try {
    return host.transaction("rebuild the search index", (w) => apply(w, plan, draft, release !== undefined));
  } finally {
    release?.();
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
  const filling = draft.index.restored === "created" || draft.index.restored === "reset";
  for (let step = 0; filling && step < steps; step += 1) {
    if (host.transaction("fill the search index", (w) => stepBackfill(w, draft.capabilities)) !== "more") break;
  }
  return readSchemaFacts(host);
}
