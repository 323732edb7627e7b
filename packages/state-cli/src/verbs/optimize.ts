import { readPageCounts } from "@hermes/state-core";
import { optimizeIndexes } from "@hermes/state-search";
import { EXIT } from "../errors/exit-code.js";
import { withProgress } from "../output/progress.js";
import { sizeChange } from "../output/size-change.js";
import { writeDocument } from "../output/write-document.js";
import { type MaintenanceOptions, openForMaintenance } from "../store/open-for-maintenance.js";
import { writeNothingToDo } from "../store/nothing-to-do.js";
import type { Verb } from "../verb.js";

/** Merges each search index into one segment; no search finds anything else than before. */
export const optimize: Verb<MaintenanceOptions> = async (context, options) => {
  const { output, signal } = context;
  context.handleInterrupts();
  using store = openForMaintenance(context, options);
  if (!store) return await writeNothingToDo(context);
  const before = store.read(readPageCounts).bytes;
  const { merged } = await withProgress(output, "Merging", (onProgress) =>
    optimizeIndexes(store, { onProgress, signal }),
  );
  const document = { path: store.path, merged, bytesBefore: before, bytesAfter: store.read(readPageCounts).bytes };
  await writeDocument(output, document, () => {
    const what = merged.length === 1 ? "1 search index" : `${merged.length} search indexes`;
    return `Merged ${what}. The store is ${sizeChange(before, document.bytesAfter)}.`;
  });
  return EXIT.done;
};
