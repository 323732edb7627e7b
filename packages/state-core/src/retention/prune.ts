import type { Reader } from "@hermes/state-schema";
import { checkText } from "../codec/check-text.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import { checkBooleans } from "../sessions/list/check-match.js";
import type { StoreContext } from "../store/context.js";
import { chunksOf, portionsOf } from "./chunks-of.js";
import { removeFiles } from "./delete-sessions.js";
import { removeSessions } from "./remove-sessions.js";
import type { Removed } from "./remove-sessions.js";
import { checkRetentionFilter, isSelecting, retentionSql } from "./retention-filter.js";
import type { RetentionFilter } from "./retention-filter.js";
import { selectSessions } from "./selection.js";
import type { Selection, Selector, Spared } from "./selection.js";
import { NO_FILES } from "./transcript-files.js";
import type { RemovedFiles } from "./transcript-files.js";

/** How to prune. */
export interface PruneOptions {
  /** Say what would go, and leave it. Default false. */
  readonly dryRun?: boolean;
  /** A folder with transcripts and request dumps; those of pruned sessions are removed once the rows are gone. */
  readonly files?: string;
}

/** What a prune did, or with `dryRun` would do. */
export interface PruneReport {
  readonly dryRun: boolean;
  /** Ids, oldest session first. */
  readonly sessions: readonly string[];
  readonly messages: number;
  readonly spared: Spared;
  readonly files: RemovedFiles;
}

/** How old a session must be when no filter says which. */
export const RETENTION_DAYS = 90;

const WHAT = "retention.prune";
const COUNTS = `
  SELECT session_id AS id, COUNT(*) AS total FROM messages
  WHERE session_id IN (SELECT value FROM json_each(?)) GROUP BY session_id`;

/** The selection of a filter; without any condition, of sessions beyond the usual age. */
export function pruneSelector(what: string, filter: RetentionFilter, now: number): Selector {
  checkRetentionFilter(what, filter);
  const wanted = isSelecting(filter) ? filter : { ...filter, olderThanDays: RETENTION_DAYS };
  return {
    filter: retentionSql(what, wanted, now),
    includePinned: filter.includePinned === true,
    tipsOnly: filter.lineageTipsOnly === true,
  };
}

interface Plan {
  readonly selection: Selection;
  readonly messagesOf: ReadonlyMap<string, number>;
}

function planPrune(r: Reader, selector: Selector, now: number): Plan {
  const selection = selectSessions(r, selector, now);
  const messagesOf = new Map<string, number>();
  for (const chunk of chunksOf(selection.ids)) {
    for (const { id, total } of r.all<{ id: string; total: number }>(COUNTS, [JSON.stringify(chunk)])) {
      messagesOf.set(id, total);
    }
  }
  return { selection, messagesOf };
}

/** One transaction: what was changed since the plan was made is looked at again. */
function prunePortion(
  context: StoreContext,
  selector: Selector,
  portion: readonly string[],
): Removed & { readonly ids: readonly string[] } {
  return context.write("prune sessions", (w) => {
    const { ids } = selectSessions(w, selector, context.clock.now(), portion);
    return { ids, ...removeSessions(w, ids) };
  });
}

function add(a: RemovedFiles, b: RemovedFiles): RemovedFiles {
  return { removed: a.removed + b.removed, failed: a.failed + b.failed };
}

/** Deletes what a selector selects, in several transactions if it is much. */
export function pruneSelected(context: StoreContext, selector: Selector, options: PruneOptions): PruneReport {
  const plan = context.read((r) => planPrune(r, selector, context.clock.now()));
  const { ids, spared } = plan.selection;
  if (options.dryRun) {
    const messages = [...plan.messagesOf.values()].reduce((sum, total) => sum + total, 0);
    return { dryRun: true, sessions: ids, messages, spared, files: NO_FILES };
  }
  context.settleUsage("write");
  const gone = new Set<string>();
  let messages = 0;
  let files = NO_FILES;
  for (const portion of portionsOf(plan.selection.lastFirst, (id) => plan.messagesOf.get(id) ?? 0)) {
    const removed = prunePortion(context, selector, portion);
    messages += removed.messages;
    for (const id of removed.ids) gone.add(id);
    files = add(files, removeFiles(context, options.files, removed.ids));
  }
  return { dryRun: false, sessions: ids.filter((id) => gone.has(id)), messages, spared, files };
}

/** Checks the options of a prune. */
export function checkPruneOptions(what: string, options: PruneOptions): void {
  checkKnownOptions(what, options, ["dryRun", "files"]);
  checkBooleans(what, options, ["dryRun"]);
  if (options.files !== undefined) checkText(`${what}: files`, options.files);
}

/**
 * Deletes ended sessions that a filter finds; children that stay lose their parent. A dry run selects exactly what the
 * run then deletes (COR-33).
 *
 * Much is deleted in several transactions, so that others can write in between: after an error what went before it is
 * gone, and pruning again goes on.
 */
export function prune(context: StoreContext, filter: RetentionFilter, options: PruneOptions): PruneReport {
  checkPruneOptions(WHAT, options);
  return pruneSelected(context, pruneSelector(WHAT, filter, context.clock.now()), options);
}
