import { StateError } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { deletionTargets, exportThenDelete, requireLossless } from "@hermes/state-portability";
import type { ExportThenDeleteReport } from "@hermes/state-portability";
import { EXIT } from "../errors/exit-code.js";
import { UsageError } from "../errors/usage-error.js";
import { confirmLoss } from "../input/confirm-loss.js";
import { withProgress } from "../output/progress.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
import { describeSessions, sessionLines } from "../store/doomed-sessions.js";
import type { DescribedSession } from "../store/doomed-sessions.js";
import { openForReading, openForWriting } from "../store/open-store.js";
import { resolveSession, sessionNotFound } from "../store/resolve-session.js";
import type { Verb, VerbContext } from "../verb.js";
import { filtersOf } from "./export-options.js";
import type { ExportVerbOptions } from "./export-options.js";

const NOTHING = "Nothing was exported or deleted";

/** What would go, and where to. */
interface DeletionPlan {
  readonly ids: readonly string[];
  readonly sessions: readonly DescribedSession[];
}

function refused(code: `STATE_E_${string}`, message: string, facts: object): StateError {
  return new StateError(code, `${NOTHING}: ${message}`, { ...facts });
}

/** Only a file can be read again, and only a whole one brings everything back. */
function checkOptions(options: ExportVerbOptions): string {
  const { out, session, format, redact, redactPattern } = options;
  if (!session) throw new UsageError("--delete-after-verified deletes what --session names. Name the sessions.");
  filtersOf(options);
  if (redact === true || redactPattern) {
    const message = "what --redact takes out could not be brought back. Export without it, or without deleting.";
    throw refused("STATE_E_EXPORT_LOSSY", message, { format, redact });
  }
  requireLossless(format);
  if (out !== undefined && out !== "-") return out;
  const message = "standard output cannot be read again to verify it. Name a file.";
  throw refused("STATE_E_EXPORT_TARGET", message, { path: "-" });
}

function planFor(store: StateStore, { session = [], lineage }: ExportVerbOptions): DeletionPlan {
  const ids = session.map((text) => resolveSession(store, text));
  return { ids, sessions: describeSessions(store, deletionTargets(store, ids, lineage)) };
}

function makePlan(context: VerbContext, options: ExportVerbOptions): DeletionPlan {
  using store = openForReading(context);
  if (!store) throw sessionNotFound(options.session?.[0] ?? "");
  return planFor(store, options);
}

function reportText({ file, sessions, messages, notInFile, written }: ExportThenDeleteReport): string {
  const where = sanitizeLine(file);
  const how = written ? `Exported to ${where}, read it again` : `Read ${where} again, which was there`;
  const others = Object.entries(notInFile).map(([table, rows]) => `${String(rows)} of ${sanitizeLine(table)}`);
  const also = others.length > 0 ? ` Rows that are in no export went with them: ${others.join(", ")}.` : "";
  return `${how}, and deleted ${String(sessions)} sessions with ${String(messages)} messages.${also}`;
}

/** Exports sessions to a file, verifies it, and deletes them if nothing changed meanwhile (POR-08). */
export const exportAndDelete: Verb<ExportVerbOptions> = async (context, options) => {
  const { output, signal } = context;
  const out = checkOptions(options);
  const plan = makePlan(context, options);
  const what = [`${String(plan.sessions.length)} sessions, with their delegates:`, ...sessionLines(plan.sessions)];
  if (options.dryRun === true) {
    const document = { file: out, format: options.format, deletes: true, ...plan };
    await writeDocument(output, document, () => `Would export and delete ${what.join("\n")}\nNothing was changed.`);
    return EXIT.done;
  }
  const sessionIds = plan.sessions.map(({ id }) => id);
  const question = `Export them to ${sanitizeLine(out)} and delete them from the store?`;
  if (!(await confirmLoss(context, { text: what.join("\n"), question, nothing: NOTHING, sessionIds }))) {
    return EXIT.failed;
  }
  context.handleInterrupts();
  using store = openForWriting(context);
  const { format, lineage } = options;
  const report = await withProgress(output, "Moving out", (onProgress) =>
    exportThenDelete(store, out, { sessionIds: plan.ids, lineage, format, expected: sessionIds, onProgress, signal }),
  );
  await writeDocument(output, report, () => reportText(report));
  return EXIT.done;
};
