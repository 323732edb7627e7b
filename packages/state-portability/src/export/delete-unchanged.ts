import { deleteInside } from "@hermes/state-core";
import type { Progress, StateStore } from "@hermes/state-core";
import type { Reader, Writer } from "@hermes/state-schema";
import { readSession, storeShape } from "../rows/read-session.js";
import { namedSessions } from "./deletion.js";
import type { Deletion } from "./deletion.js";
import { changedSince, targetsChanged, unverified } from "./export-errors.js";
import { fileIdentity } from "./file-identity.js";
import type { ProvidedExport } from "./provide-export.js";
import { digestOfStored } from "./session-digest.js";
import type { SessionDigest } from "./session-digest.js";

/** A session that is not what a file says. */
export interface Difference {
  readonly id: string;
  readonly exported: number;
  readonly stored: number;
}

/**
 * Compares every cell of every row with what a file says.
 *
 * @param onSession - Called after each session that is the same, with the messages compared so far.
 * @returns The first session that differs, or is not there any more.
 */
export function differingSession(
  r: Reader,
  exported: ReadonlyMap<string, SessionDigest>,
  onSession: (messages: number) => void = () => undefined,
): Difference | undefined {
  const shape = storeShape(r);
  let compared = 0;
  for (const [id, { messages, sha256 }] of exported) {
    const document = readSession(r, shape, id);
    const now = document && digestOfStored(document);
    if (now?.sha256 !== sha256) return { id, exported: messages, stored: now?.messages ?? 0 };
    onSession((compared += messages));
  }
  return undefined;
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
): { readonly messages: number } {
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
      const { messages } = deleteNamed(w, deletion, path, now);
      if (fileIdentity(path) !== provided.identity) throw unverified(path, "it was changed or removed since");
      return { messages };
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
