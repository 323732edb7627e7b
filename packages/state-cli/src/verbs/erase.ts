import type { StateStore } from "@hermes/state-core";
import { eraseSessions, findPendingErasures } from "@hermes/state-portability";
import type { ErasureProof } from "@hermes/state-portability";
import { EXIT } from "../errors/exit-code.js";
import { confirmLoss } from "../input/confirm-loss.js";
import type { Output } from "../output/output.js";
import { withProgress } from "../output/progress.js";
import { writeDocument } from "../output/write-document.js";
import { describeSessions, sessionLines } from "../store/doomed-sessions.js";
import type { DescribedSession } from "../store/doomed-sessions.js";
import { locateStore } from "../store/locate-store.js";
import { openForReading, openForWriting } from "../store/open-store.js";
import { resolveSession, sessionNotFound } from "../store/resolve-session.js";
import type { Verb } from "../verb.js";

/** Options of `erase`. */
export interface EraseVerbOptions {
  readonly ids: readonly string[];
  readonly lineage?: boolean;
  readonly dryRun?: boolean;
}

/** What would go: each session with its messages. */
interface ErasePlan {
  readonly ids: readonly string[];
  readonly sessions: readonly DescribedSession[];
  /** The rows went in an earlier run, which ended before its proof. */
  readonly resumes: boolean;
}

/**
 * An erasure that is still open comes first: with its session gone, the same words may be the beginning of another id.
 */
function planFor(store: StateStore, texts: readonly string[], includeLineage: boolean): ErasePlan {
  const gone = texts.every((text) => store.sessions.find(text) === undefined);
  if (gone && findPendingErasures(store.path, texts).length > 0) return { ids: texts, sessions: [], resumes: true };
  const ids = texts.map((text) => resolveSession(store, text));
  const targets = store.retention.getDeleteTargets(ids, { includeLineage });
  return { ids, sessions: describeSessions(store, targets), resumes: false };
}

function planText({ ids, sessions, resumes }: ErasePlan): string {
  if (resumes) return `what is left of ${ids.join(", ")}: the rows are gone, and the bytes are not looked at yet.`;
  return [`${String(sessions.length)} sessions, with their delegates:`, ...sessionLines(sessions)].join("\n");
}

function proofLines(proof: ErasureProof): string[] {
  const lines = proof.files
    .filter(({ state }) => state !== "absent")
    .map(({ name, bytes, found, state }) => `  ${name}: ${state}, ${String(bytes)} bytes, ${String(found)} traces`);
  if (proof.unsampled > 0) lines.push(`  of ${String(proof.unsampled)} more texts nothing was looked for`);
  if (proof.pending !== null) lines.push(`  ${proof.pending}`);
  if (!proof.clean) lines.push("  to look again and finish the proof, run the same command again");
  return [...lines, ...proof.untouched.map((path) => `  not touched, and may hold it: ${path}`)];
}

function proofText({ colors }: Output, proof: ErasureProof): string {
  const head = proof.clean ? colors.green("clean") : colors.red("not proven");
  const did = proof.resumed ? "finished the erasure of" : "erased";
  const what = `${String(proof.sessions.length)} sessions, ${String(proof.messages)} messages`;
  return [`${head}  ${did} ${what}; looked for ${String(proof.canaries)} texts of theirs`, ...proofLines(proof)].join(
    "\n",
  );
}

/** Deletes sessions for good, and proves it from the bytes: exit 0 when the proof is clean, 1 when it is not. */
export const erase: Verb<EraseVerbOptions> = async (context, { ids: texts, lineage = false, dryRun = false }) => {
  const { output, options, signal } = context;
  const plan = ((): ErasePlan => {
    using store = openForReading(context);
    if (!store) throw sessionNotFound(texts[0] ?? "");
    return planFor(store, texts, lineage);
  })();
  if (dryRun) {
    const { path } = locateStore(options);
    await writeDocument(output, { path, ...plan }, () => `Would erase ${planText(plan)}\nNothing was changed.`);
    return EXIT.done;
  }
  const sessionIds = plan.sessions.map(({ id }) => id);
  const loss = { text: planText(plan), question: "Erase them for good?", nothing: "Nothing was erased", sessionIds };
  if (!(await confirmLoss(context, loss))) return EXIT.failed;
  context.handleInterrupts();
  using store = openForWriting(context);
  const proof = await withProgress(output, "Erasing", (onProgress) =>
    eraseSessions(store, plan.ids, { includeLineage: lineage, expected: sessionIds, onProgress, signal }),
  );
  await writeDocument(output, proof, () => proofText(output, proof));
  return proof.clean ? EXIT.done : EXIT.failed;
};
