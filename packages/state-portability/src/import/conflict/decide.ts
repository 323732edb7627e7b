import { createHash } from "node:crypto";
import type { Reader } from "@hermes/state-schema";
import { isEmptyGrowth, planGrowth } from "../../foreign/plan-growth.js";
import { readSession, storeShape } from "../../rows/read-session.js";
import type { IncomingSession } from "../import-reader.js";
import type { Decision, ImportMode } from "./decision.js";
import { messageKey } from "./message-key.js";

const EXISTS_SQL = "SELECT 1 AS found FROM sessions WHERE id = ?";
const BRANCH_DIGITS = 12;

const HERE = "the store has a session with this id";
const OTHER = "the store has another session with this id";
const SAME = "nothing in it is new";

/** What a decision depends on beside the store. */
export interface Conflict {
  readonly mode: ImportMode;
  /** The source keeps its ids, so what is new in it can be told. */
  readonly grows: boolean;
  /** Ids that a dry run would have written by now. */
  readonly planned?: ReadonlySet<string>;
}

/** Decides what becomes of a session that comes in. Reads only. */
export function decide(r: Reader, incoming: IncomingSession, conflict: Conflict): Decision {
  const elsewhere = isElsewhere(incoming);
  if (elsewhere) return elsewhere;
  if (!isTaken(r, incoming.id, conflict)) return { kind: "insert" };
  switch (conflict.mode) {
    case "copy":
      return { kind: "copy", id: freeId(r, incoming.id, conflict) };
    case "replace":
      return { kind: "replace" };
    case "merge":
      return (conflict.grows ? grow(r, incoming) : undefined) ?? merge(r, incoming, conflict);
    case "skip":
      if (!conflict.grows) return { kind: "skip", reason: HERE };
      return grow(r, incoming) ?? { kind: "skip", reason: OTHER };
  }
}

/** The decision over a session of which another one holds every message; undefined for all others. */
export function isElsewhere({ wholeIn }: IncomingSession): Decision | undefined {
  return wholeIn === undefined ? undefined : { kind: "skip", reason: `session ${wholeIn} holds all of it` };
}

function isTaken(r: Reader, id: string, { planned }: Conflict): boolean {
  return (planned?.has(id) ?? false) || isStored(r, id);
}

/** True when the store has a session with this id. */
export function isStored(r: Reader, id: string): boolean {
  return r.get(EXISTS_SQL, [id]) !== undefined;
}

function freeId(r: Reader, id: string, conflict: Conflict): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? `${id}-copy` : `${id}-copy-${number}`;
    if (!isTaken(r, candidate, conflict)) return candidate;
  }
}

function grow(r: Reader, incoming: IncomingSession): Decision | undefined {
  const growth = planGrowth(r, incoming);
  if (!growth) return undefined;
  return isEmptyGrowth(growth) ? { kind: "skip", reason: SAME } : { kind: "grow", growth };
}

/**
 * Compares both talks message by message. What comes in may be older, may go on where the one here ends, or both went
 * on from a common beginning.
 */
function merge(r: Reader, incoming: IncomingSession, conflict: Conflict): Decision {
  const here = keysHere(r, incoming.id);
  const known = new Set(here);
  const keys = [...incoming.children].filter(({ entity }) => entity === "message").map(({ row }) => messageKey(row));
  const firstNew = keys.findIndex((key) => !known.has(key));
  if (firstNew < 0) return { kind: "skip", reason: SAME };
  const suffixOnly = keys.slice(firstNew).every((key) => !known.has(key));
  if (suffixOnly && keys[firstNew - 1] === here.at(-1)) return { kind: "append", known: firstNew };
  const digest = createHash("sha256").update(keys.slice(firstNew).join("\n")).digest("hex").slice(0, BRANCH_DIGITS);
  const id = `${incoming.id}.branch-${digest}`;
  return isTaken(r, id, conflict) ? { kind: "skip", reason: SAME } : { kind: "branch", id };
}

function keysHere(r: Reader, id: string): readonly string[] {
  const document = readSession(r, storeShape(r), id);
  return document ? [...document.rows("message")].map(messageKey) : [];
}
