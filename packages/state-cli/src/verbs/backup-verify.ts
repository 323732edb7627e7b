import { EXIT } from "../errors/exit-code.js";
import { withProgress } from "../output/progress.js";
import { sanitizeLine } from "../output/sanitize.js";
import { writeDocument } from "../output/write-document.js";
import type { Verb } from "../verb.js";

/** Looks at a backup as a restore would: exit 0 when it could be restored, 1 when not. */
export const backupVerify: Verb<{ readonly file: string }> = async (context, { file }) => {
  const { output, signal } = context;
  context.handleInterrupts();
  const { verifyBackup } = await import("@hermes/state-portability");
  const found = await withProgress(output, "Verifying", (onProgress) => verifyBackup(file, { onProgress, signal }));
  await writeDocument(output, found, () => {
    const { green, red } = output.colors;
    if (found.ok) return `${green("good")}  ${sanitizeLine(found.path)}`;
    return `${red("bad ")}  ${sanitizeLine(found.path)}: ${found.problems.map(sanitizeLine).join("; ")}`;
  });
  return found.ok ? EXIT.done : EXIT.failed;
};
