import { classifyPersistenceError } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { readIndexState } from "@hermes/state-schema";
import { checkIndex } from "./check-index.js";
import { checkPages } from "./check-pages.js";
import type { CheckFinding, CheckReport } from "./check-report.js";
import { verdictOf } from "./check-report.js";
import { checkSchema } from "./check-schema.js";

const CHECKED = [
  "every page and every index of the tables, by the engine's quick check",
  "tables and columns against the schema",
  "which messages the search indexes know, and words of some messages in them",
];

/** Said with every quick answer. */
const NOT_CHECKED = [
  "the order of index entries against their rows (level full)",
  "every term of the search indexes against every row (level full)",
  "whether a write would succeed (level full)",
];

/**
 * The quick level of the health check. It reads and never writes, and tells what it did not look at (REP-01).
 */
export function quickCheck(store: StateStore): CheckReport {
  const info = store.info();
  const findings = [
    ...guarded("main", () => store.read((r) => checkPages(r, readIndexState(r, info.capabilities).stale))),
    ...guarded("main", () => store.read((r) => checkSchema(r, info.schemaVersion))),
    ...guarded("messages_fts", () => checkIndex(store, info)),
  ];
  return {
    path: store.path,
    exists: true,
    verdict: verdictOf(findings),
    level: "quick",
    findings,
    checked: CHECKED,
    notChecked: NOT_CHECKED,
  };
}

/** A step that runs into damage has found it; a step that runs into a lock has found nothing. */
function guarded(object: string, check: () => CheckFinding[]): CheckFinding[] {
  try {
    return check();
  } catch (error) {
    const cause = classifyPersistenceError(error);
    if (cause !== "corrupt" && cause !== "fts_index") throw error;
    const detail = error instanceof Error ? error.message : String(error);
    return [{ severity: "damage", code: cause === "corrupt" ? "pages" : "index", object, detail }];
  }
}

/** The answer for a home in which nothing has been stored yet. */
export function nothingToCheck(path: string): CheckReport {
  return {
    path,
    exists: false,
    verdict: "healthy",
    level: "quick",
    findings: [],
    checked: [],
    notChecked: NOT_CHECKED,
  };
}

/** The answer when the store cannot be opened: damaged when its bytes are the reason, unknown for everything else. */
export function unopenable(path: string, error: { readonly code: string; readonly message: string }): CheckReport {
  const damaged = error.code === "STATE_E_CORRUPT" || error.code === "STATE_E_NOT_A_DATABASE";
  const finding: CheckFinding = {
    severity: damaged ? "damage" : "note",
    code: error.code,
    object: path,
    detail: error.message,
  };
  return {
    path,
    exists: true,
    verdict: damaged ? "damaged" : "unknown",
    level: "quick",
    findings: [finding],
    checked: [],
    notChecked: [...CHECKED, ...NOT_CHECKED],
  };
}
