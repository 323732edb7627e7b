import { existsSync } from "node:fs";
import { StateError } from "@hermes/state-core";
import { EXIT } from "../errors/exit-code.js";
import { UsageError } from "../errors/usage-error.js";
import { canAsk, confirm } from "../input/confirm.js";
import { withProgress } from "../output/progress.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
import { locateStore } from "../store/locate-store.js";
import type { Verb } from "../verb.js";

/** Options of `backup restore`. */
export interface BackupRestoreOptions {
  readonly file: string;
  readonly dryRun?: boolean;
  /** False with `--no-backup`. */
  readonly backup: boolean;
}

function notAsked(path: string): StateError {
  return new StateError(
    "STATE_E_NOT_CONFIRMED",
    `Not restored: ${path} would be replaced, and there is no terminal to ask on. Look with --dry-run, then add --yes.`,
    { path },
  );
}

/** Puts a backup in the place of the store, which nobody may have open. */
export const backupRestore: Verb<BackupRestoreOptions> = async (context, { file, dryRun = false, backup }) => {
  const { output, options, signal } = context;
  if (options.readonly === true && !dryRun) throw new UsageError("A restore writes: leave --readonly out.");
  const { path } = locateStore(options);
  const replaces = existsSync(path);
  context.handleInterrupts();
  const { restoreStore, verifyBackup } = await import("@hermes/state-portability");
  const verify = (): ReturnType<typeof verifyBackup> =>
    withProgress(output, "Verifying", (onProgress) => verifyBackup(file, { onProgress, signal }));
  if (dryRun) {
    const verification = await verify();
    const plan = { path, backup: verification.path, replaces, ok: verification.ok, problems: verification.problems };
    await writeDocument(output, plan, () => {
      if (!plan.ok) return `${sanitizeLine(plan.backup)} would not be restored: ${plan.problems.join("; ")}`;
      return `${plan.backup} would ${replaces ? `replace ${path}` : `become ${path}`}. Nothing was changed.`;
    });
    return plan.ok ? EXIT.done : EXIT.failed;
  }
  if (options.yes !== true && replaces) {
    if (!canAsk()) throw notAsked(path);
    output.notice(`${file} will replace ${path}.`);
    output.notice(backup ? "What is there is kept beside it." : "What is there is lost: there is no way back.");
    if (!(await confirm("Restore it now?"))) {
      output.notice("Nothing was changed.");
      return EXIT.failed;
    }
  }
  const report = await withProgress(output, "Restoring", (onProgress) =>
    restoreStore(file, path, { keepCurrent: backup, onProgress, signal }),
  );
  await writeDocument(output, report, () => {
    const kept = report.safetyCopy === null ? "" : `\nWhat was there is kept at ${report.safetyCopy}`;
    const late = report.openedMeanwhile.map(({ pid }) => `\nProcess ${String(pid)} has the old file open: end it.`);
    return `${report.path} is now ${report.backup}.${kept}${late.join("")}`;
  });
  return EXIT.done;
};
