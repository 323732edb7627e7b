import { createHash } from "node:crypto";
import type { Reader, Writer } from "@hermes/state-schema";
import type { Cell } from "../rows/raw-row.js";
import { freeTitle } from "./free-title.js";
import { insertMessages } from "./insert-messages.js";
import { insertRow } from "./insert-row.js";
import type { PlacedCells } from "./insert-row.js";
import type { IncomingRow, IncomingSession } from "./import-reader.js";
import type { StoreColumns } from "./store-columns.js";

/** What became of one session's rows. */
export interface InsertedSession {
  readonly messages: number;
  /** The number that its title got because the title was taken. */
  readonly renamed: { readonly from: string; readonly to: string } | undefined;
  /** Rows of a table that this store lacks. */
  readonly leftOut: number;
}

/** How rows are written. */
export interface InsertPolicy {
  readonly columns: StoreColumns;
  /** Keep message ids as long as none is taken: right for a store that held no messages when the import began. */
  readonly keepIds: boolean;
  /** A trigger gives every message without an identity its own id as its place: said at once, it need not do so. */
  readonly placesById: boolean;
}

const ADD_PROMPT_SQL = "INSERT OR IGNORE INTO system_prompts (hash, prompt) VALUES (?, ?)";
const PROMPT_SQL = "SELECT 1 AS found FROM system_prompts WHERE hash = ?";
const NEXT_ID_SQL = "SELECT id FROM messages WHERE id >= ? ORDER BY id LIMIT 1";
/** Ids from here on would leave no room for the ones that follow. */
const HIGHEST_KEPT_ID = 2 ** 48;

/**
 * Writes one session with all that belongs to it; the caller's transaction makes it all or nothing (POR-02). Runtime
 * columns stay at their defaults, the parent is linked later, and a taken title is numbered.
 */
export function insertSession(w: Writer, incoming: IncomingSession, policy: InsertPolicy): InsertedSession {
  const { row, renamed } = sessionRow(w, incoming);
  insertRow(w, policy.columns, "session", { id: incoming.id, ...row });
  return { ...insertChildren(w, incoming, policy), renamed };
}

/** The session's row as it can be stored here: prompts by the hash of their text, a title that is free. */
export function sessionRow(
  w: Writer,
  incoming: IncomingSession,
): { readonly row: Readonly<Record<string, Cell>>; readonly renamed: InsertedSession["renamed"] } {
  const hashes = addPrompts(w, incoming.prompts);
  const { parent_session_id: _parent, ...given } = incoming.row;
  const row: Record<string, Cell> = { ...given };
  for (const column of ["system_prompt_hash", "tool_names"]) {
    const hash = row[column];
    if (typeof hash === "string" && hashes.has(hash)) row[column] = hashes.get(hash) ?? null;
  }
  if (!hasPrompt(w, row["system_prompt_hash"])) row["system_prompt_hash"] = null;
  const from = row["title"];
  if (typeof from !== "string") return { row, renamed: undefined };
  const to = freeTitle(w, from);
  row["title"] = to;
  return { row, renamed: to === from ? undefined : { from, to } };
}

/** A reference to a prompt that neither the file nor the store has would be refused by the foreign key. */
function hasPrompt(w: Writer, hash: Cell | undefined): boolean {
  return typeof hash === "string" && w.get(PROMPT_SQL, [hash]) !== undefined;
}

/** Prompts are stored under the hash of their text, whatever the file says. */
function addPrompts(w: Writer, prompts: Readonly<Record<string, string>>): Map<string, string> {
  const hashes = new Map<string, string>();
  for (const [claimed, text] of Object.entries(prompts)) {
    const hash = createHash("sha256").update(text.toWellFormed(), "utf8").digest("hex");
    w.run(ADD_PROMPT_SQL, [hash, text]);
    hashes.set(claimed, hash);
  }
  return hashes;
}

/** Writes what belongs to a session whose row is there, and which has no rows of its own yet. */
export function insertChildren(
  w: Writer,
  incoming: IncomingSession,
  policy: InsertPolicy,
): { messages: number; leftOut: number } {
  let messages = 0;
  let leftOut = 0;
  const ids = new IdKeeper(w, policy.keepIds);
  insertMessages(w, { count: incoming.messages, newSessions: [incoming.id] }, () => {
    let highest = 0;
    for (const child of incoming.children) {
      if (!policy.columns[child.entity]) {
        leftOut += 1;
        continue;
      }
      const id = insertRow(w, policy.columns, child.entity, child.row, placed(child, incoming.id, ids, policy));
      if (child.entity !== "message") continue;
      messages += 1;
      highest = Math.max(highest, id);
    }
    return highest;
  });
  return { messages, leftOut };
}

function placed(
  { entity, row }: IncomingRow,
  sessionId: string,
  ids: IdKeeper,
  { placesById }: InsertPolicy,
): PlacedCells {
  if (entity !== "message") return { session_id: sessionId };
  const id = ids.kept(row["id"]);
  return id === undefined || !placesById
    ? { session_id: sessionId, id }
    : { session_id: sessionId, id, display_order: id };
}

/**
 * Decides, id by id, whether a message may keep its own; after the first that may not, none does, so that order holds.
 */
class IdKeeper {
  #last = 0;
  /** Ids below are free from the last one on. */
  #nextTaken = 0;

  constructor(
    private readonly r: Reader,
    private keep: boolean,
  ) {}

  kept(id: Cell | undefined): number | undefined {
    if (!this.keep || typeof id !== "number" || !this.#isFree(id)) {
      this.keep = false;
      return undefined;
    }
    this.#last = id;
    return id;
  }

  #isFree(id: number): boolean {
    if (!Number.isInteger(id) || id <= this.#last || id >= HIGHEST_KEPT_ID) return false;
    if (id >= this.#nextTaken) this.#nextTaken = this.r.get<{ id: number }>(NEXT_ID_SQL, [id])?.id ?? HIGHEST_KEPT_ID;
    return id < this.#nextTaken;
  }
}
