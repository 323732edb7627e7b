import { isObject } from "../../state-jsonl/parse-record.js";
import type { JsonLine } from "../foreign-file.js";
import { isoSeconds, objectOf, textOf } from "../json.js";
import type { Json } from "../json.js";

/** One line of a rollout. */
export interface CodexLine {
  readonly line: number;
  readonly seconds: number | undefined;
  readonly type: string;
  readonly payload: Json;
  /** Type of the payload, where it has one. */
  readonly kind: string;
}

/** Reads the envelope of a line; undefined for what has none. */
export function codexLine({ number, value }: JsonLine): CodexLine | undefined {
  if (!isObject(value)) return undefined;
  const payload = objectOf(value["payload"]);
  return {
    line: number,
    seconds: isoSeconds(value["timestamp"]),
    type: textOf(value["type"]) ?? "",
    payload,
    kind: textOf(payload["type"]) ?? "",
  };
}

const MILLISECOND_DIGITS = 12;

/** The moment in a UUID of version 7, in milliseconds; undefined for other ids. */
function uuidMilliseconds(id: unknown): number | undefined {
  const hex = typeof id === "string" ? id.replaceAll("-", "") : "";
  return /^[0-9a-f]{12}7[0-9a-f]{19}$/i.test(hex) ? Number.parseInt(hex.slice(0, MILLISECOND_DIGITS), 16) : undefined;
}

/** What a thread wrote itself, as far as the file tells. */
export interface OwnPart {
  readonly lines: readonly CodexLine[];
  /** The thread that the lines begin in: messages are named from there on, so that a copy is named as its origin is. */
  readonly seed: string;
}

/**
 * The lines a thread wrote itself. A fork begins with a copy of the thread it left, under new times: its own part
 * starts with the first turn whose id is not older than the thread's. Where no turn tells, all lines are given, and
 * what the origin holds is left out when that is in the store.
 *
 * @param id - The thread's.
 * @param forkedFrom - The thread it says it left.
 */
export function ownPart(lines: readonly CodexLine[], id: string, forkedFrom: string | undefined): OwnPart {
  const metas = lines.filter(({ type }) => type === "session_meta").map(({ payload }) => textOf(payload["id"]));
  const copied = metas.findLast((meta) => meta !== undefined && meta !== id);
  const born = uuidMilliseconds(id);
  const turns = lines.filter(isTurn).map(({ payload }) => uuidMilliseconds(payload["turn_id"]));
  const isOwn = (turn: number | undefined): boolean => turn !== undefined && born !== undefined && turn >= born;
  const copiesNothing = forkedFrom === undefined || (turns.length > 0 && turns.every(isOwn));
  if (copied === undefined && copiesNothing) return { lines, seed: id };
  const first = lines.findIndex((line) => isTurn(line) && isOwn(uuidMilliseconds(line.payload["turn_id"])));
  if (first >= 0) return { lines: lines.slice(first), seed: id };
  const tells = born !== undefined && turns.length > 0 && turns.every((turn) => turn !== undefined);
  return tells ? { lines: [], seed: id } : { lines, seed: copied ?? forkedFrom ?? id };
}

function isTurn({ type, kind }: CodexLine): boolean {
  return type === "turn_context" || (type === "event_msg" && (kind === "task_started" || kind === "turn_started"));
}
