import { EXIT } from "../errors/exit-code.js";
import { sizeChange } from "../output/size-change.js";
import { writeDocument } from "../output/write-document.js";
import { type MaintenanceOptions, openForMaintenance } from "../store/open-for-maintenance.js";
import { writeNothingToDo } from "../store/nothing-to-do.js";
import type { Verb } from "../verb.js";

/** Gives free pages back to the system. */
export const vacuum: Verb<MaintenanceOptions> = async (context, options) => {
  const { output } = context;
  using store = openForMaintenance(context, options);
  if (!store) return await writeNothingToDo(context);
  const report = store.retention.vacuum({ force: options.force ?? false });
  await writeDocument(output, { path: store.path, ...report }, () => {
    const failed = report.failedIndexes > 0 ? " A search index could not be merged; look with: hermes-state check" : "";
    return `The store is ${sizeChange(report.bytesBefore, report.bytesAfter)}.${failed}`;
  });
  return EXIT.done;
};
