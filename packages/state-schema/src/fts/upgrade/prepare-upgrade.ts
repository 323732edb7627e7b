import type { Writer } from "../../sql/handles.js";
import { deleteMeta } from "../../sql/set-meta.js";
import type { SqliteCapabilities } from "../capabilities.js";
import { createIndexObjects } from "../create-index.js";
import { dropTriggers } from "../detach-fts.js";
import { readFtsSchema } from "../fts-schema.js";
import { FTS_SOURCE, FTS_TRASH_PREFIX, ftsTriggers } from "../names.js";
import { indexTables } from "./index-tables.js";
import { planUpgrade, UNSETTLED_KEYS, type UpgradePlan } from "./plan-upgrade.js";

/**
 * The row of a virtual table owns no page: without it the tables behind it are ordinary ones, and nothing is lost but
 * a name. Its module is not asked, which a DROP would do: the tokenizer need not be there.
 */
const FORGET_TABLE = "DELETE FROM sqlite_master WHERE type = 'table' AND rootpage = 0 AND name = ?";

/**
 * Puts the index of a file on the way to the newest layout, in the caller's one transaction: tables of another layout
 * are put aside under names that every writer of this format knows and empties, the new empty objects are created, and
 * the markers say that every message is still to be indexed. Before it and after it the file is whole (SEA-12).
 *
 * @returns What it did: a sibling may have done it first.
 */
export function prepareUpgrade(w: Writer, capabilities: SqliteCapabilities): UpgradePlan {
  const plan = planUpgrade(w, capabilities);
  if (plan === "none") return plan;
  if (plan === "replace") putAside(w);
  createIndexObjects(w, capabilities);
  deleteMeta(w, ...UNSETTLED_KEYS);
  return plan;
}

function putAside(w: Writer): void {
  const schema = readFtsSchema(w);
  const { virtual, shadow } = indexTables(schema);
  dropTriggers(w, [...ftsTriggers("word"), ...ftsTriggers("trigram")]);
  for (const view of [FTS_SOURCE.word, FTS_SOURCE.trigram]) w.exec(`DROP VIEW IF EXISTS ${view}`);
  for (const table of virtual) w.editSchema(FORGET_TABLE, [table]);
  // Views and triggers of others need not be sound: a rename must not look at them.
  w.exec("PRAGMA legacy_alter_table=ON");
  try {
    const taken = new Set(schema.trash);
    for (const table of shadow) w.exec(`ALTER TABLE ${table} RENAME TO ${trashName(table, taken)}`);
  } finally {
    w.exec("PRAGMA legacy_alter_table=OFF");
  }
}

/** A table may have been put aside under this name before, by an upgrade to a layout that is old by now. */
function trashName(table: string, taken: ReadonlySet<string>): string {
  const plain = FTS_TRASH_PREFIX + table;
  for (let number = 2, name = plain; ; number += 1) {
    if (!taken.has(name)) return name;
    name = `${plain}_${number}`;
  }
}
