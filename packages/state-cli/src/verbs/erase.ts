import { StateError } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import type { ErasureProof } from "@hermes/state-portability";
import { EXIT } from "../errors/exit-code.js";
import { canAsk, confirm } from "../input/confirm.js";
import type { Output } from "../output/output.js";
import { withProgress } from "../output/progress.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
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
  readonly sessions: readonly { readonly id: string; readonly title: string | null; readonly messages: number }[];
}

function planFor(store: StateStore, texts: readonly string[], includeLineage: boolean): ErasePlan {
  const ids = texts.map((text) => resolveSession(store, text));
  const sessions = store.retention.getDeleteTargets(ids, { includeLineage }).map((id) => {
    const title = store.sessions.find(id)?.title;
    return { id, title: typeof title === "string" ? title : null, messages: store.messages.count(id) };
  });
  return { ids, sessions };
}

function planText({ sessions }: ErasePlan): string {
  const lines = sessions.map(({ id, title, messages }) => {
    const name = title === null ? "" : `  ${sanitizeLine(title)}`;
    return `  ${sanitizeLine(id)}  ${String(messages)} messages${name}`;
  });
  return [`${String(sessions.length)} sessions, with their delegates:`, ...lines].join("\n");
}

function proofText({ colors }: Output, proof: ErasureProof): string {
  const head = proof.clean ? colors.green("clean") : colors.red("not proven");
  const lines = proof.files
    .filter(({ state }) => state !== "absent")
    .map(({ name, bytes, found, state }) => `  ${name}: ${state}, ${String(bytes)} bytes, ${String(found)} traces`);
  if (proof.pending !== null) lines.push(`  ${proof.pending}`);
  lines.push(...proof.untouched.map((path) => `  not touched, and may hold it: ${path}`));
  const what = `${String(proof.sessions.length)} sessions, ${String(proof.messages)} messages`;
  return [`${head}  erased ${what}; looked for ${String(proof.canaries)} texts of theirs`, ...lines].join("\n");
}

function notAsked(plan: ErasePlan): StateError {
  return new StateError(
    "STATE_E_NOT_CONFIRMED",
    `Nothing was erased: ${String(plan.sessions.length)} sessions would go for good, and there is no terminal to ask ` +
      "on. Look with --dry-run, then add --yes.",
    { sessions: plan.sessions.map(({ id }) => id) },
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
  if (options.yes !== true) {
    if (!canAsk()) throw notAsked(plan);
    output.notice(planText(plan));
    if (!(await confirm("Erase them for good?"))) {
      output.notice("Nothing was changed.");
      return EXIT.failed;
    }
  }
  context.handleInterrupts();
  using store = openForWriting(context);
  const { eraseSessions } = await import("@hermes/state-portability");
  const expected = plan.sessions.map(({ id }) => id);
  const proof = await withProgress(output, "Erasing", (onProgress) =>
    eraseSessions(store, plan.ids, { includeLineage: lineage, expected, onProgress, signal }),
  );
  await writeDocument(output, proof, () => proofText(output, proof));
  return proof.clean ? EXIT.done : EXIT.failed;
};
