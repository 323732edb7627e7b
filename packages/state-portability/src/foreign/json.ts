import { isSaneSeconds } from "@hermes/state-core";
import { isObject } from "../state-jsonl/parse-record.js";

/** A JSON object of unknown shape. */
export type Json = Readonly<Record<string, unknown>>;

const NOTHING: Json = Object.freeze({});

/** The value when it is an object, else an empty one: what a source leaves out reads as absent. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : NOTHING;
}

/** The value when it is a list, else an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value when it is a text that says something. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A count that a source gives; 0 for anything else. */
export function countOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** A moment as an ISO text, in REAL seconds. */
export function isoSeconds(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  const seconds = Date.parse(value) / 1000;
  return isSaneSeconds(seconds) ? seconds : undefined;
}

/** A moment in seconds or, when it can only be that, in milliseconds. */
export function unixSeconds(value: unknown): number | undefined {
  if (typeof value !== "number") return undefined;
  const seconds = value > 1e11 ? value / 1000 : value;
  return isSaneSeconds(seconds) ? seconds : undefined;
}
