import { META_KEYS } from "../meta-keys.js";
import type { SchemaHost, Writer } from "../sql/handles.js";
import { deleteMeta } from "../sql/set-meta.js";
import type { SqliteCapabilities } from "./capabilities.js";
import { createIndexObjects } from "./create-index.js";
import { dropTriggers } from "./detach-fts.js";
import { layoutOf } from "./detect-fts-layout.js";
import { dropIndex, UnreadableTableError } from "./drop-index.js";
import { readFtsSchema } from "./fts-schema.js";
import { FTS_SOURCE, ftsTriggers } from "./names.js";
import { readIndexMarkers } from "./read-index-state.js";

/** What replacing an index needs of its host. */
export type ReplacingHost = Pick<SchemaHost, "transaction" | "isBusy">;

/** How an index was replaced. */
export interface ReplacedIndex {
  readonly layout: 1 | 2 | 3;
  /** Tables whose pages could not be read: they stay unused in the file until a VACUUM. */
  readonly lost: readonly string[];
}

/** The index could not be replaced, and is as it was; the cause says why. */
export class IndexReplacementError extends Error {
  override readonly name: string = "IndexReplacementError";

  constructor(cause: unknown) {
    // The words of the cause stay out of it: they could be taken for damage that a write has met.
    super("The search index could not be replaced and is as it was. Check the file; the cause says why.", { cause });
  }
}

const { ftsStale, ftsRebuildDeferral, ftsStorageVersion, ftsOptimizeAvailable } = META_KEYS;
/** What no longer holds of an index that was replaced. */
const OUTDATED = [ftsStale.key, ftsRebuildDeferral.key, ftsStorageVersion.key];

/**
 * Replaces the word and the trigram index by empty ones in one transaction, and puts every message up for backfill, so
 * that the work that remains comes in bounded steps (SEA-11). External indexes of three columns keep their layout;
 * older ones, which have no markers and would have to be filled at once, and mixed ones become the newest. The CJK
 * index of peers is left alone.
 *
 * Take the right to rebuild first.
 *
 * @param when - Asked inside the transaction, if given: a sibling may have done it meanwhile.
 * @returns Undefined when `when` said no.
 * @throws IndexReplacementError, after which the file is as it was; a busy file's error as it comes.
 */
export function replaceIndex(
  host: ReplacingHost,
  capabilities: SqliteCapabilities,
  when?: (w: Writer) => boolean,
): ReplacedIndex | undefined {
  const lost = new Set<string>();
  for (;;) {
    try {
      return host.transaction("replace the search index", (w) =>
        contained(host, () => (when?.(w) === false ? undefined : replace(w, capabilities, lost))),
      );
    } catch (error) {
      // Each table is lost once at most, so this ends.
      if (!(error instanceof UnreadableTableError) || lost.has(error.table)) throw error;
      lost.add(error.table);
    }
  }
}

/** True while the index is marked stale. */
export function isStale(w: Writer): boolean {
  return readIndexMarkers(w).stale;
}

/** The error of a damaged index must not be taken for one of the file: what the host does about that is for writes. */
function contained<T>(host: ReplacingHost, fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code;
    const isEngineError = typeof code === "string" && code.startsWith("SQLITE_");
    throw isEngineError && !host.isBusy(error) ? new IndexReplacementError(error) : error;
  }
}

function replace(w: Writer, capabilities: SqliteCapabilities, lost: ReadonlySet<string>): ReplacedIndex {
  const before = layoutOf(readFtsSchema(w));
  const layout = before === 1 || before === 2 ? before : 3;
  for (const half of ["word", "trigram"] as const) {
    dropTriggers(w, ftsTriggers(half));
    dropIndex(w, half, lost);
    w.exec(`DROP VIEW IF EXISTS ${FTS_SOURCE[half]}`);
  }
  createIndexObjects(w, capabilities, layout);
  deleteMeta(w, ...OUTDATED);
  if (layout === 3) deleteMeta(w, ftsOptimizeAvailable.key);
  return { layout, lost: [...lost] };
}
