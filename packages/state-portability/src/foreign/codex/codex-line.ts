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

/**
 * The lines a thread wrote itself. A fork begins with a copy of the thread it left, under new times: its own part
 * starts with the first turn whose id is not older than the thread's.
 *
 * @param id - The thread's.
 */
export function ownLines(lines: readonly CodexLine[], id: string): readonly CodexLine[] {
  const metas = lines.filter(({ type }) => type === "session_meta").map(({ payload }) => payload["id"]);
  if (metas.every((meta) => meta === id)) return lines;
  const born = uuidMilliseconds(id);
  const first = lines.findIndex(({ type, payload }) => {
    if (type !== "turn_context") return false;
    const turn = uuidMilliseconds(payload["turn_id"]);
    return born !== undefined && turn !== undefined && turn >= born;
  });
  return first < 0 ? [] : lines.slice(first);
}
