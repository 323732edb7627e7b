import type { CheckArea, CheckFinding, CheckSeverity } from "./check-report.js";

/** A kind of finding. */
export type FindingCode =
  | "zeroed"
  | "foreign"
  | "truncated"
  | "free-pages"
  | "unused-pages"
  | "schema-unreadable"
  | "schema-duplicate"
  | "schema-nameless"
  | "shared-root"
  | "missing-table"
  | "pages"
  | "unreadable-rows"
  | "null-value"
  | "write"
  | "btree-index"
  | "index"
  | "index-pages"
  | "index-parts"
  | "index-unreadable"
  | "index-coverage"
  | "index-terms"
  | "index-content"
  | "index-write"
  | "index-other-library"
  | "index-moved-rows"
  | "index-mixed"
  | "index-stale"
  | "index-pending"
  | "index-detached"
  | "no-index"
  | "capability"
  | "old-schema"
  | "newer-schema"
  | "orphans"
  | "dangling"
  | "bad-value"
  | "hot-journal"
  | "new-store"
  | "not-a-file"
  | "not-accessible"
  | "not-looked-at";

/** How bad a kind of finding is, what it concerns, and what to do next. */
export interface FindingModel {
  readonly severity: CheckSeverity;
  readonly area: CheckArea;
  readonly action: string;
}

const REPAIR = "Run: hermes-state repair --plan.";
const RECOVER = "Restore a backup, or run: hermes-state recover --inspect-only.";
const UPGRADE = "The next open for writing does this.";
const NOTHING = "Nothing to do.";

const model = (severity: CheckSeverity, area: CheckArea, action: string): FindingModel =>
  Object.freeze({ severity, area, action });

/** Every code a check can answer with: how bad it is, what it concerns, and what to do. */
export const FINDINGS: Readonly<Record<FindingCode, FindingModel>> = Object.freeze({
  zeroed: model("damage", "file", RECOVER),
  foreign: model("damage", "file", "Name another file, or restore a backup over this one."),
  truncated: model("damage", "file", RECOVER),
  "free-pages": model("damage", "file", REPAIR),
  "unused-pages": model("damage", "file", REPAIR),

  "schema-unreadable": model("damage", "schema", REPAIR),
  "schema-duplicate": model("damage", "schema", REPAIR),
  "schema-nameless": model("damage", "schema", REPAIR),
  "shared-root": model("damage", "schema", REPAIR),
  "missing-table": model("damage", "schema", RECOVER),

  pages: model("damage", "rows", REPAIR),
  "unreadable-rows": model("damage", "rows", REPAIR),
  "null-value": model("damage", "rows", REPAIR),
  write: model("damage", "rows", REPAIR),

  "btree-index": model("damage", "btree-index", REPAIR),

  index: model("damage", "search-index", REPAIR),
  "index-pages": model("damage", "search-index", REPAIR),
  "index-parts": model("damage", "search-index", REPAIR),
  "index-unreadable": model("damage", "search-index", REPAIR),
  "index-coverage": model("damage", "search-index", REPAIR),
  "index-terms": model("damage", "search-index", REPAIR),
  "index-content": model("damage", "search-index", REPAIR),
  "index-write": model("damage", "search-index", REPAIR),

  "index-other-library": model("rebuild", "search-index", REPAIR),
  "index-moved-rows": model("rebuild", "search-index", REPAIR),
  "index-mixed": model("rebuild", "search-index", "Run: hermes-state optimize-storage."),

  "index-stale": model("note", "search-index", UPGRADE),
  "index-pending": model("note", "search-index", "Run: hermes-state optimize-storage, or leave it to the next writer."),
  "index-detached": model("note", "search-index", UPGRADE),
  "no-index": model("note", "search-index", UPGRADE),
  capability: model("note", "search-index", NOTHING),
  "old-schema": model("note", "schema", UPGRADE),
  "newer-schema": model("note", "schema", NOTHING),
  orphans: model("note", "rows", "Nothing is lost: recover and export keep such rows; retention can remove them."),
  dangling: model("note", "rows", NOTHING),
  "bad-value": model("note", "rows", "The value is shown as unknown; nothing needs to be done."),
  "hot-journal": model("note", "file", "The next open for writing rolls the interrupted transaction back."),
  "new-store": model("note", "file", "The first write makes a store of it."),
  "not-a-file": model("note", "file", "Name the database file itself, such as state.db."),
  "not-accessible": model("note", "file", "Make the file and its folder readable for this user, and check again."),
  "not-looked-at": model("note", "file", "Remove the reason and check again."),
});

/**
 * Makes a finding of a known kind.
 *
 * @param object - Table, index or file it concerns.
 * @param detail - What was seen, as a sentence.
 * @param instead - Where this case differs from its kind.
 */
export function finding(
  code: FindingCode,
  object: string,
  detail: string,
  instead: Partial<FindingModel> = {},
): CheckFinding {
  return { ...FINDINGS[code], ...instead, code, object, detail };
}
