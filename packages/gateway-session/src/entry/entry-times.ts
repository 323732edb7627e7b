import { isJsonObject, isSaneSeconds, type JsonObject, type JsonValue } from "@hermes/state-core";
import { localIso, parseIso, utcIso } from "./local-time.js";

/**
 * Beside the times as the peer writes them stand the exact moments, each with the text it belongs to: a time without
 * zone is ambiguous when the clocks go back, and means something else after the zone of the machine has changed. A
 * peer that writes a time anew leaves a text that no moment belongs to, and the text is read.
 */
export const EXACT_TIMES_KEY = "exact_times";

/** Further than the clocks of any two zones are apart. */
const REACH = 2 * 86_400;

/** Times of an entry by their stored key; REAL seconds. Null: none. */
export interface TimesToWrite {
  readonly local: Readonly<Record<string, number>>;
  readonly utc: Readonly<Record<string, number | null>>;
}

/** Writes times. @returns The texts by their keys, and the exact moments to store beside. */
export function writeTimes(times: TimesToWrite, zone?: string): { texts: JsonObject; exact: JsonObject } {
  const texts: Record<string, JsonValue> = {};
  const exact: Record<string, JsonValue> = {};
  for (const [key, seconds] of Object.entries(times.local)) {
    const text = localIso(seconds, zone);
    texts[key] = text;
    exact[key] = [text, seconds];
  }
  for (const [key, seconds] of Object.entries(times.utc)) {
    const text = seconds === null ? null : utcIso(seconds);
    texts[key] = text;
    if (text !== null && seconds !== null && parseIso(text) !== seconds) exact[key] = [text, seconds];
  }
  return { texts, exact };
}

function exactMoment(json: JsonObject, key: string, text: string): number | undefined {
  const exact = json[EXACT_TIMES_KEY];
  const pair = isJsonObject(exact) ? exact[key] : undefined;
  if (!Array.isArray(pair)) return undefined;
  const [of, seconds] = pair as readonly JsonValue[];
  if (of !== text || !isSaneSeconds(seconds)) return undefined;
  const shown = Date.parse(`${text.slice(0, 19)}Z`) / 1000;
  return Math.abs(shown - seconds) <= REACH ? seconds : undefined;
}

/**
 * Reads a time of an entry.
 *
 * @returns REAL seconds; 0 for a moment before 1970, so that it looks old; undefined for what is no time.
 */
export function readTime(json: JsonObject, key: string, zone?: string): number | undefined {
  const stored = json[key];
  if (typeof stored !== "string") return isSaneSeconds(stored) ? stored : undefined;
  const seconds = exactMoment(json, key, stored) ?? parseIso(stored, zone);
  if (seconds === undefined) return undefined;
  return isSaneSeconds(seconds) ? seconds : 0;
}
