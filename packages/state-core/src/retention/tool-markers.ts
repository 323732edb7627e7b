import { closeSync, openSync, rmSync } from "node:fs";
import { PRIVATE_MODE } from "../files/private-file.js";
import type { Reader, Writer } from "@hermes/state-schema";
import { pythonStrip } from "../codec/python-strip.js";
import { decodeToolCalls } from "../codec/tool-calls.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import { PRE_CLEAN_BACKUP } from "../files/file-names.js";
import { isToolMarker } from "../messages/tool-marker.js";
import { checkBooleans } from "../sessions/list/check-match.js";
import type { StoreContext } from "../store/context.js";
import type { StoreFile } from "../store/store-file.js";

/** How to purge. */
export interface PurgeOptions {
  /** Say what would change, and leave it. Default false. */
  readonly dryRun?: boolean;
  /** Keep a copy of the store as it was, beside it. Default true; none is made where nothing changes. */
  readonly backup?: boolean;
}

/** What a purge did, or with `dryRun` would do. */
export interface PurgeReport {
  readonly dryRun: boolean;
  /** Messages whose text was the placeholder. */
  readonly messageIds: readonly number[];
  /** The copy of the store as it was before. */
  readonly backup: string | undefined;
}

const WHAT = "retention.purgeToolMarkers";

/** Rows that are looked at, and changed, at a time. */
const AT_ONCE = 500;

/** A placeholder is a name in brackets; longer text is none. */
const CANDIDATES = `
  SELECT m.id AS id, m.content AS content, m.tool_calls AS calls FROM messages AS m
  WHERE m.role = 'assistant' AND m.tool_calls IS NOT NULL AND m.id > ?
    AND length(m.content) < 300 AND m.content LIKE '%[%]%'
  ORDER BY m.id LIMIT ${String(AT_ONCE)}`;
const CLEAR = "UPDATE messages SET content = '' WHERE id = ?";

interface Candidate {
  readonly id: number;
  readonly content: string;
  readonly calls: string;
}

interface Batch {
  readonly markers: readonly number[];
  /** Where to read on; undefined at the end. */
  readonly next: number | undefined;
}

function findMarkers(r: Reader, after: number): Batch {
  const rows = r.all<Candidate>(CANDIDATES, [after]);
  const markers = rows.filter(({ content, calls }) => isToolMarker(pythonStrip(content), decodeToolCalls(calls)));
  return { markers: markers.map((row) => row.id), next: rows.length === AT_ONCE ? rows.at(-1)?.id : undefined };
}

function clearMarkers(w: Writer, after: number): Batch {
  const batch = findMarkers(w, after);
  for (const id of batch.markers) w.run(CLEAR, [id]);
  return batch;
}

function walk(step: (after: number) => Batch): number[] {
  const found: number[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { markers, next }: Batch = step(after);
    found.push(...markers);
    after = next;
  }
  return found;
}

/** A file of our own that nobody else may read, before anything is written into it (COR-13). */
function createBackupFile(path: string, now: number): string {
  const stamp = new Date(now * 1000).toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "_");
  for (let attempt = 0; ; attempt++) {
    const name = `${path}${PRE_CLEAN_BACKUP}${stamp}${attempt === 0 ? "" : `-${String(attempt)}`}`;
    try {
      closeSync(openSync(name, "wx", PRIVATE_MODE));
      return name;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function backUp(context: StoreContext, file: StoreFile): string {
  const name = createBackupFile(context.path, context.clock.now());
  try {
    file.copyTo("back up the store before cleaning", name);
    return name;
  } catch (error) {
    rmSync(name, { force: true });
    throw error;
  }
}

/**
 * Empties the text of assistant messages that is nothing but the name of a tool they call: a placeholder of older
 * writers that the model would take for something it said.
 */
export function purgeToolMarkers(context: StoreContext, file: StoreFile, options: PurgeOptions): PurgeReport {
  checkKnownOptions(WHAT, options, ["dryRun", "backup"]);
  checkBooleans(WHAT, options, ["dryRun", "backup"]);
  const found = walk((after) => context.read((r) => findMarkers(r, after)));
  if (options.dryRun || found.length === 0) {
    return { dryRun: options.dryRun === true, messageIds: found, backup: undefined };
  }
  const backup = options.backup === false ? undefined : backUp(context, file);
  const cleared = walk((after) => context.write("empty placeholder texts", (w) => clearMarkers(w, after)));
  return { dryRun: false, messageIds: cleared, backup };
}
