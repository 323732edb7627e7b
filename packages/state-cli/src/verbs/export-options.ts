import type { StateStore } from "@hermes/state-core";
import { lineageSessions } from "@hermes/state-portability";
import type { ExportFormat, ExportOptions, LineageScope } from "@hermes/state-portability";
import { UsageError } from "../errors/usage-error.js";
import type { SessionSelection } from "../options/selection.js";
import { selectionOf } from "../options/selection-options.js";
import type { SelectionOptions } from "../options/selection-options.js";
import { selectedIds } from "../store/list-selected.js";
import { resolveSession } from "../store/resolve-session.js";

/** Options of `export`. */
export interface ExportVerbOptions extends SelectionOptions {
  readonly out?: string;
  readonly format: ExportFormat;
  readonly session?: readonly string[];
  readonly lineage: LineageScope;
  /** Take secrets out of every text. */
  readonly redact?: boolean;
  /** Regular expressions: what they match is taken out, too. */
  readonly redactPattern?: readonly string[];
  /** With peer-jsonl: only what the peer's own export writes. */
  readonly peerSubset?: boolean;
  readonly deleteAfterVerified?: boolean;
  readonly dryRun?: boolean;
}

/**
 * What selects sessions without naming them; undefined where nothing does.
 *
 * @throws UsageError when sessions are named, too.
 */
export function filtersOf(options: ExportVerbOptions): SessionSelection | undefined {
  const selection = selectionOf(options);
  if (selection.matches === undefined && Object.keys(selection.filter).length === 0) return undefined;
  if (options.session) throw new UsageError("--session names sessions; filters select them. Use one of the two.");
  return selection;
}

/**
 * The sessions to export, in order; undefined for all of them.
 *
 * @throws UsageError when sessions are named and filtered.
 */
export function selectSessions(store: StateStore, options: ExportVerbOptions): readonly string[] | undefined {
  const filters = filtersOf(options);
  if (filters) return [...selectedIds(store, filters)];
  if (!options.session) return undefined;
  const ids = options.session.map((text) => resolveSession(store, text));
  return lineageSessions(store, ids, options.lineage);
}

/** What is taken out of every text: a pattern asks for the common secrets, too. */
export function redactionOf({ redact, redactPattern }: ExportVerbOptions): NonNullable<ExportOptions["redact"]> {
  return redactPattern ?? redact ?? false;
}
