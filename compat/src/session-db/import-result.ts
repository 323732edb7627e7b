import { isStateError } from "@hermes/state-core";
import type { ImportItem, ImportProblem, ImportReport } from "@hermes/state-portability";

/** What is wrong with one item. */
export interface ImportItemError {
  /** Counted from 0. */
  readonly index: number;
  readonly error: string;
  readonly sessionId?: string;
}

/** What an import did; with any error nothing was imported. */
export interface ImportResult {
  readonly ok: boolean;
  readonly imported: number;
  readonly skipped: number;
  /** Sessions that stand without the parent they name. */
  readonly detached: number;
  readonly importedIds: readonly string[];
  readonly skippedIds: readonly string[];
  readonly errors: readonly ImportItemError[];
}

const NOTHING = { imported: 0, skipped: 0, detached: 0, importedIds: [], skippedIds: [] };

/** The items one per line, as the file of the old program has them, and what cannot be written so. */
export function toLines(sessions: readonly unknown[]): {
  readonly lines: string[];
  readonly errors: ImportItemError[];
} {
  const errors: ImportItemError[] = [];
  const lines = sessions.map((session, index) => {
    try {
      return `${JSON.stringify(session ?? null)}\n`;
    } catch (error) {
      errors.push({ index, error: error instanceof Error ? error.message : String(error) });
      return "null\n";
    }
  });
  return { lines, errors };
}

/** The result of an import that refused everything; throws what is no refusal. */
export function refusedImport(error: unknown): ImportResult {
  if (!isStateError(error, "STATE_E_IMPORT_INVALID")) throw error;
  return failedImport(
    (error.facts["problems"] as readonly ImportProblem[]).map(({ line, message, sessionId }) => ({
      index: line - 1,
      error: message,
      ...(sessionId !== undefined && { sessionId }),
    })),
  );
}

/** The result of an import that did nothing because of errors. */
export function failedImport(errors: readonly ImportItemError[]): ImportResult {
  return { ok: false, ...NOTHING, errors };
}

/** The result of an import that was done. */
export function doneImport({ imported, skipped, detached }: ImportReport, items: readonly ImportItem[]): ImportResult {
  const idsOf = (outcome: ImportItem["outcome"]): string[] =>
    items.filter((item) => item.outcome === outcome).map((item) => item.storedAs ?? item.sessionId);
  const ids = { importedIds: idsOf("imported"), skippedIds: idsOf("skipped") };
  return { ok: true, imported, skipped, detached, ...ids, errors: [] };
}
