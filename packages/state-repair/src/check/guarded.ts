import type { Steps } from "../steps/run-steps.js";
import type { CheckFinding } from "./check-report.js";
import type { CheckRun } from "./check-run.js";
import { engineTrouble, messageOf } from "./engine-error.js";
import { finding } from "./findings.js";

/**
 * Runs a part of a check. A part that runs into damage has found it; a part that runs into a lock, a full disk or a
 * missing module has found nothing, and says so.
 *
 * @param what - What the part looks at, for the lists of the report.
 * @param damaged - What its running into damage means.
 */
export function* guarded(
  run: CheckRun,
  what: string,
  damaged: (detail: string, error: unknown) => CheckFinding,
  part: () => Steps<void>,
): Steps<void> {
  try {
    yield* part();
    run.saw(what);
  } catch (error) {
    const detail = messageOf(error);
    switch (engineTrouble(error)) {
      case "damage":
        run.add(damaged(detail, error));
        return;
      case "capability":
        run.add(finding("capability", "main", `The linked SQLite cannot read this: ${detail}.`));
        return;
      case "busy":
      case "environment":
        run.missed(`${what} (${detail})`);
        return;
      // A journal that waits to be rolled back is for whoever opened the file; anything else is no fault of the file.
      case "journal":
      case undefined:
        throw error;
    }
  }
}
