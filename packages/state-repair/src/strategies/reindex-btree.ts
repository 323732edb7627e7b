import { quoted } from "../check/schema/schema-objects.js";
import { damagedIndexes } from "./damaged-indexes.js";
import { readSchemaRows, reloadSchema } from "./schema-rows.js";
import type { Change, Strategy } from "./strategy.js";

/** Builds the indexes that a check complained about anew, in their own pages. */
export const reindexBtree: Strategy = {
  name: "reindex_btree",
  diagnose({ connection, findings }) {
    if (reloadSchema(connection) !== undefined) return undefined;
    const { named } = damagedIndexes(connection, readSchemaRows(connection), findings);
    return named.length === 0 ? undefined : named.map(({ name }) => name);
  },
  treat(connection, names) {
    for (const name of names) connection.exec(`REINDEX ${quoted(name)}`);
    return { changes: names.map(rebuilt), leavesPages: false };
  },
};

function rebuilt(object: string): Change {
  return { kind: "rebuilt", object, detail: "Built again from the rows of its table." };
}
