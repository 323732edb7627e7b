import type { MaintenanceConnection } from "@hermes/state-core";
import { ftsObjects, FTS_TABLE, readIndexState } from "@hermes/state-schema";
import type { CreatableLayout, FtsHalf, FtsLayout } from "@hermes/state-schema";
import { reloadSchema } from "./schema-rows.js";
import { clearSearchMarkers } from "./search-markers.js";
import type { Change, Patient, Strategy } from "./strategy.js";

/** The damage lies in the search index, as far as the last check could tell. */
export function concernsSearchIndex({ findings }: Patient): boolean {
  return findings.some(({ area, severity }) => area === "search-index" && severity !== "note");
}

/** Has each search index that can be opened filled again from the rows, in its own tables. */
export const rebuildFts: Strategy = {
  name: "rebuild_fts",
  diagnose(patient) {
    const { connection, capabilities } = patient;
    if (!concernsSearchIndex(patient) || reloadSchema(connection) !== undefined) return undefined;
    const { layout, word, trigram } = readIndexState(connection, capabilities);
    if (!isRebuildable(layout) || !word.readable) return undefined;
    return trigram.readable ? ["word", "trigram"] : ["word"];
  },
  treat(connection, diagnosis, capabilities) {
    const { layout, word, trigram } = readIndexState(connection, capabilities);
    if (!isRebuildable(layout)) throw new Error("the layout of the search index cannot be told");
    const halves = (["word", "trigram"] as const).filter((half) => diagnosis.includes(half));
    const changes = halves.map((half) => rebuild(connection, half));
    makeMissingTriggers(connection, layout, halves);
    // An index that this library cannot write keeps its markers: it may have missed rows.
    if (halves.length === Number(word.present) + Number(trigram.present)) clearSearchMarkers(connection);
    return { changes, leavesPages: false };
  },
};

/** An inline index would be filled from its own copy of the text, which is what cannot be trusted. */
function isRebuildable(layout: FtsLayout): layout is Exclude<CreatableLayout, 0> {
  return layout !== "none" && layout !== "mixed" && layout !== 0;
}

function rebuild(connection: MaintenanceConnection, half: FtsHalf): Change {
  const table = FTS_TABLE[half];
  connection.exec(`INSERT INTO ${table}(${table}) VALUES ('rebuild')`);
  return { kind: "rebuilt", object: table, detail: "Filled again from the messages." };
}

function makeMissingTriggers(
  connection: MaintenanceConnection,
  layout: CreatableLayout,
  halves: readonly ("word" | "trigram")[],
): void {
  const objects = ftsObjects(layout);
  for (const half of halves) for (const { sql } of objects[half]?.triggers ?? []) connection.exec(sql);
}
