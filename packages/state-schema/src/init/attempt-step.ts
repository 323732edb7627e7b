import type { SchemaHost } from "../sql/handles.js";
import type { ReportDraft } from "./report-draft.js";
import { isDefect } from "./statement-error.js";

/**
 * Runs work that an open can do without. What fails is reported and tried again at the next open; once the file has
 * stayed locked for the patience of one transaction, the rest is not even tried, so that an open beside a long writer
 * is late once and not once per step (SCH-04).
 *
 * @returns What `fn` returned, or undefined when it failed or was not tried.
 */
export function attemptStep<T>(host: SchemaHost, draft: ReportDraft, step: string, fn: () => T): T | undefined {
  if (draft.locked) return undefined;
  try {
    return fn();
  } catch (error) {
    if (isDefect(error)) throw error;
    draft.locked = host.isBusy(error);
    draft.problems.push({ step, error });
    return undefined;
  }
}
