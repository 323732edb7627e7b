import { deleteInside } from "@hermes/state-core";
import type { Progress, StateStore } from "@hermes/state-core";
import type { Writer } from "@hermes/state-schema";
import { countDependents } from "./count-dependents.js";
import { namedSessions } from "./deletion.js";
import type { Deletion } from "./deletion.js";
import { differingSession } from "./differing-session.js";
import { changedSince, targetsChanged, unverified } from "./export-errors.js";
import { fileIdentity } from "./file-identity.js";
import type { ProvidedExport } from "./provide-export.js";

/** What went. */
export interface Deleted {
  readonly messages: number;
  /** Rows of other tables that went with their sessions, by table. */
  readonly notInFile: Readonly<Record<string, number>>;
}

/**
 * Deletes what was exported, if the store still holds exactly that: compared and deleted in one transaction, in which
 * nobody else can write.
 *
 * @throws STATE_E_EXPORT_CHANGED, STATE_E_TARGETS_CHANGED, STATE_E_SESSION_IN_USE, STATE_E_EXPORT_UNVERIFIED when the
 * file was touched meanwhile; nothing goes then.
 */
export function deleteUnchanged(
  store: StateStore,
  deletion: Deletion,
  provided: ProvidedExport,
  onProgress: ((progress: Progress) => void) | undefined,
): Deleted {
  const { path, sessions } = provided;
  const total = [...sessions.values()].reduce((sum, { messages }) => sum + messages, 0);
  store.settleUsage("write");
  const now = store.clock.now();
  return store.write(
    "delete what was exported",
    (w) => {
      const report = (done: number): void => onProgress?.({ phase: "deleting", done, total });
      const difference = differingSession(w, sessions, report);
      if (difference) throw changedSince(path, difference.id, difference.exported, difference.stored);
      const notInFile = countDependents(w, deletion.targets);
      const { messages } = deleteNamed(w, deletion, path, now);
      if (fileIdentity(path) !== provided.identity) throw unverified(path, "it was changed or removed since");
      return { messages, notInFile };
    },
    "transcript",
  );
}

function deleteNamed(w: Writer, deletion: Deletion, path: string, now: number): { readonly messages: number } {
  const { lineage, targets } = deletion;
  const options = { includeLineage: lineage === "logical", expected: targets };
  const report = deleteInside(w, namedSessions(w, deletion), options, now);
  if (report.targetsChanged) throw targetsChanged(path, targets);
  return report;
}
