import { HIT_FIELDS } from "@hermes/state-search";
import type { HitField, SearchHit, SearchOptions } from "@hermes/state-search";
import { given } from "./given.js";
import { peerKey } from "./rows.js";

/** What to look through. Null and absent mean the same. */
export interface SearchMessagesOptions {
  /** Only sessions of these sources; an empty list finds nothing. */
  readonly sourceFilter?: readonly string[] | null;
  readonly excludeSources?: readonly string[] | null;
  /** Only messages of these roles; an empty list means all. */
  readonly roleFilter?: readonly string[] | null;
  /** Default 20; 0 for none, a negative number for as many as there may be. */
  readonly limit?: number | null;
  readonly offset?: number | null;
  /** Default: the most relevant first. */
  readonly sort?: "newest" | "oldest" | "rank" | "relevance" | null;
  /** Also what was rewound. */
  readonly includeInactive?: boolean | null;
  /** Which fields a hit has, in either spelling; all when absent. */
  readonly fields?: readonly string[] | null;
}

export const SEARCH_NAMES: readonly (keyof SearchMessagesOptions)[] = [
  "sourceFilter",
  "excludeSources",
  "roleFilter",
  "limit",
  "offset",
  "sort",
  "includeInactive",
  "fields",
];

const FIELD_OF: ReadonlyMap<string, HitField> = new Map(
  HIT_FIELDS.flatMap((field) => [[field, field] as const, [peerKey(field), field] as const]),
);

/**
 * Names of fields as the parts have them.
 *
 * @throws TypeError where they are no list, RangeError naming every unknown one.
 */
function fieldsOf(fields: unknown): readonly HitField[] {
  if (!Array.isArray(fields)) throw new TypeError("SessionDB.searchMessages: fields must be a list of names.");
  const names: readonly unknown[] = fields;
  const unknown = names.filter((name) => !FIELD_OF.has(name as string)).map(String);
  if (unknown.length === 0) return names.map((name) => FIELD_OF.get(name as string) as HitField);
  const known = HIT_FIELDS.map(peerKey).join(", ");
  throw new RangeError(`SessionDB.searchMessages: there is no field ${unknown.sort().join(", ")}; there are ${known}.`);
}

/** The options that the parts take. */
export function searchOptions(
  options: SearchMessagesOptions,
): SearchOptions & { readonly fields: readonly HitField[] } {
  const { sourceFilter: sources, roleFilter: roles, sort, fields, ...rest } = given(options);
  return {
    ...rest,
    fields: fields === undefined ? HIT_FIELDS : fieldsOf(fields),
    ...(sources && { sources }),
    ...(roles && roles.length > 0 && { roles }),
    ...(sort !== undefined && { sort: sort === "relevance" ? ("rank" as const) : sort }),
  };
}

/** A hit with its neighbours as the old program had them. */
export function peerHit(hit: Partial<SearchHit>): Partial<SearchHit> {
  if (!hit.context) return hit;
  const context = hit.context.map(({ role, text }) => ({ role, content: text }));
  return { ...hit, context: context as unknown as SearchHit["context"] };
}
