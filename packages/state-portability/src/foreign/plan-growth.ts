import type { Reader, SqlRow } from "@hermes/state-schema";
import type { IncomingSession } from "../import/import-reader.js";
import type { Cell, RawRow } from "../rows/raw-row.js";
import { leftBranches } from "./left-branches.js";
import { uidPrefix } from "./stored-uid.js";

/** What a source holds beyond what was imported from it before. */
export interface Growth {
  /** Rows to add, in order. */
  readonly added: readonly RawRow[];
  /** Rows that say something else now: a reply that was still being written, a message that a summary stands for. */
  readonly changed: readonly { readonly id: number; readonly row: RawRow }[];
  /** Rows that left the conversation's path: an earlier turn was edited. They stay, as rewound ones. */
  readonly retired: readonly number[];
  /** Branches that were gone on with: what they held is part of other sessions of the transcript now. */
  readonly dissolved: readonly string[];
}

/** Columns that a source may say anew about a message that is here already. */
export const GROWING_COLUMNS = [
  "content",
  "tool_calls",
  "reasoning",
  "reasoning_details",
  "codex_reasoning_items",
  "finish_reason",
  "display_metadata",
  "active",
  "compacted",
] as const;

const SELECT_ROWS = `
  SELECT id, message_uid, ${GROWING_COLUMNS.join(", ")} FROM messages
  WHERE session_id = ? AND message_uid IS NOT NULL ORDER BY id`;

const NOTHING: Growth = { added: [], changed: [], retired: [], dissolved: [] };

/**
 * Compares a session with its source, message by message and by the source's own ids.
 *
 * @returns Undefined when the session here has nothing of the source.
 */
export function planGrowth(r: Reader, incoming: IncomingSession): Growth | undefined {
  const { id, children, transcript } = incoming;
  const { source } = incoming.row;
  const rows = r.all(SELECT_ROWS, [id]);
  const ours = new Map(rows.filter((row) => isOurs(row, source)).map((row) => [row["message_uid"], row]));
  if (ours.size === 0) return undefined;
  const added: RawRow[] = [];
  const changed: { id: number; row: RawRow }[] = [];
  const current = new Set<unknown>();
  for (const { entity, row } of children) {
    if (entity !== "message") continue;
    const uid = row["message_uid"] as string;
    current.add(uid);
    const old = ours.get(uid);
    if (!old) added.push(row);
    else if (saysAnew(row, old) && !isBehind(row, old)) changed.push({ id: old["id"] as number, row });
  }
  const elsewhere = (uid: unknown): boolean => transcript?.uids.has(uid as string) === true;
  const left = [...ours].filter(([uid, row]) => !current.has(uid) && (row["active"] === 1 || row["compacted"] === 1));
  const lost = left.some(([uid]) => !elsewhere(uid));
  // An older copy of the file, or a talk that begins alike: what the store has beyond it stays as it is.
  if (lost && added.length === 0) return NOTHING;
  if (lost && incoming.derivedId) return undefined;
  const leaves = left.filter(([uid, row]) => row["active"] === 1 && (elsewhere(uid) || !transcript?.keepsAll));
  const retired = leaves.map(([, row]) => row["id"] as number);
  return {
    added,
    changed,
    retired,
    dissolved: transcript && transcript.thread === id ? leftBranches(r, transcript, source) : [],
  };
}

/** Cells are compared as the store holds them: text without lone surrogates. */
function saysAnew(incoming: RawRow, stored: SqlRow): boolean {
  return GROWING_COLUMNS.some((name) => {
    const cell = incoming[name] ?? null;
    return (typeof cell === "string" ? cell.toWellFormed() : cell) !== stored[name];
  });
}

/** True for an older copy of a reply that was still being written: it says the beginning of what is here. */
function isBehind(incoming: RawRow, stored: SqlRow): boolean {
  if ((incoming["finish_reason"] ?? null) === null && stored["finish_reason"] !== null) return true;
  if (callsIn(incoming["tool_calls"]) < callsIn(stored["tool_calls"])) return true;
  const [now, before] = [incoming["content"] ?? "", stored["content"] ?? ""];
  return typeof now === "string" && typeof before === "string" && now !== before && before.startsWith(now);
}

function callsIn(cell: Cell | undefined): number {
  const calls: unknown = typeof cell === "string" ? JSON.parse(cell) : [];
  return Array.isArray(calls) ? calls.length : 0;
}

/** Somebody may have gone on with the conversation here: those rows are not the source's. */
function isOurs(row: SqlRow, source: Cell | undefined): boolean {
  const uid = row["message_uid"];
  return typeof uid === "string" && typeof source === "string" && uid.startsWith(uidPrefix(source));
}

/** True when there is nothing to do. */
export function isEmptyGrowth({ added, changed, retired, dissolved }: Growth): boolean {
  return added.length + changed.length + retired.length + dissolved.length === 0;
}
