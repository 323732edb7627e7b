import { checkKnownOptions } from "@hermes/state-core";
import { HIT_FIELDS, type HitField } from "../answer/search-hit.js";
import { placeOf, type PagePlace } from "./page-place.js";
import type { SearchOptions, SearchSort } from "./search-options.js";

const WHAT = "searchMessages";
const DEFAULT_LIMIT = 20;
const MOST_HITS = 10_000;
const SORTS: readonly SearchSort[] = ["rank", "newest", "oldest"];

const KNOWN: readonly (keyof SearchOptions)[] = [
  "roles",
  "sources",
  "excludeSources",
  "sessions",
  "excludeSessions",
  "sinceSeconds",
  "untilSeconds",
  "includeInactive",
  "sort",
  "limit",
  "offset",
  "cursor",
  "groupBy",
  "fields",
  "context",
];

/** Checked options, with every default filled in. */
export interface SearchRequest {
  readonly filters: Pick<
    SearchOptions,
    "roles" | "sources" | "excludeSources" | "sessions" | "excludeSessions" | "sinceSeconds" | "untilSeconds"
  > & { readonly includeInactive: boolean };
  readonly sort: SearchSort;
  readonly limit: number;
  readonly place: PagePlace;
  readonly bySession: boolean;
  readonly fields: ReadonlySet<HitField>;
}

function texts(name: keyof SearchOptions, value: unknown): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || value.some((item) => typeof item !== "string")) {
    throw new TypeError(`${WHAT}: ${name} must be a list of strings.`);
  }
}

function number(name: keyof SearchOptions, value: unknown): void {
  if (value === undefined) return;
  if (typeof value !== "number") throw new TypeError(`${WHAT}: ${name} must be a number, not ${typeof value}.`);
  if (!Number.isFinite(value)) throw new RangeError(`${WHAT}: ${name} must be finite, not ${value}.`);
}

function whole(name: keyof SearchOptions, value: unknown): void {
  number(name, value);
  if (value !== undefined && !Number.isSafeInteger(value)) {
    throw new RangeError(`${WHAT}: ${name} must be a whole number, not ${JSON.stringify(value)}.`);
  }
}

function flag(name: keyof SearchOptions, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean") {
    throw new TypeError(`${WHAT}: ${name} must be true or false, not ${typeof value}.`);
  }
}

function readSort(value: unknown): SearchSort {
  if (value === undefined) return "rank";
  if (typeof value !== "string") throw new TypeError(`${WHAT}: sort must be a string, not ${typeof value}.`);
  const sort = SORTS.find((known) => known === value.trim().toLowerCase());
  if (!sort) throw new RangeError(`${WHAT}: sort must be one of ${SORTS.join(", ")}, not ${JSON.stringify(value)}.`);
  return sort;
}

function readFields(options: SearchOptions): ReadonlySet<HitField> {
  const { fields, context = false } = options;
  if (fields === undefined) return new Set(HIT_FIELDS.filter((field) => field !== "context" || context));
  texts("fields", fields);
  const unknown = fields.filter((field) => !HIT_FIELDS.includes(field)).sort();
  if (unknown.length > 0) {
    throw new RangeError(`${WHAT}: unknown fields ${unknown.join(", ")}. Known fields: ${HIT_FIELDS.join(", ")}.`);
  }
  return new Set(fields);
}

function readLimit(limit: number = DEFAULT_LIMIT): number {
  return limit < 0 ? MOST_HITS : Math.min(limit, MOST_HITS);
}

/**
 * Checks options and fills in the defaults.
 *
 * @throws TypeError for unknown options and wrong types, RangeError for values outside their range, StateError
 * `STATE_E_BAD_CURSOR`.
 */
export function readOptions(options: SearchOptions = {}): SearchRequest {
  checkKnownOptions(WHAT, options, KNOWN);
  for (const name of ["roles", "sources", "excludeSources", "sessions", "excludeSessions"] as const) {
    texts(name, options[name]);
  }
  for (const name of ["sinceSeconds", "untilSeconds"] as const) number(name, options[name]);
  for (const name of ["limit", "offset"] as const) whole(name, options[name]);
  for (const name of ["includeInactive", "context"] as const) flag(name, options[name]);
  if (options.groupBy !== undefined && (options.groupBy as unknown) !== "session") {
    throw new RangeError(`${WHAT}: groupBy must be "session", not ${JSON.stringify(options.groupBy)}.`);
  }
  const { roles, sources, excludeSources, sessions, excludeSessions, sinceSeconds, untilSeconds } = options;
  const sort = readSort(options.sort);
  const bySession = options.groupBy === "session";
  return {
    filters: {
      ...(roles && { roles }),
      ...(sources && { sources }),
      ...(excludeSources && { excludeSources }),
      ...(sessions && { sessions }),
      ...(excludeSessions && { excludeSessions }),
      ...(sinceSeconds !== undefined && { sinceSeconds }),
      ...(untilSeconds !== undefined && { untilSeconds }),
      includeInactive: options.includeInactive ?? false,
    },
    sort,
    limit: readLimit(options.limit),
    place: placeOf(WHAT, options, sort, bySession),
    bySession,
    fields: readFields(options),
  };
}
