import { checkChoice } from "../../codec/check-choice.js";
import { checkKnownOptions } from "../../config/check-known-options.js";
import type { SessionFilter, SessionListOptions } from "./session-filter.js";

const TEXTS = ["source", "sessionKey", "userId", "chatId", "cwdPrefix", "idQuery", "searchQuery"] as const;
const LISTS = ["sources", "excludeSources"] as const;
const FLAGS = ["includeChildren", "includePinned", "projectTips"] as const;

const FILTER_KEYS: readonly (keyof SessionFilter)[] = [
  ...TEXTS,
  ...LISTS,
  "minMessageCount",
  "archived",
  "hidden",
  "includeChildren",
];

const LIST_KEYS: readonly (keyof SessionListOptions)[] = [
  ...FILTER_KEYS,
  "order",
  "limit",
  "offset",
  "cursor",
  "includePinned",
  "projectTips",
];

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function refuse(what: string, key: string, wanted: string, value: unknown): never {
  throw new TypeError(`${what}: ${key} must be ${wanted}, not ${JSON.stringify(value)}.`);
}

function checkValues(what: string, options: SessionListOptions): void {
  for (const key of TEXTS) {
    const value = options[key];
    if (value !== undefined && !isText(value)) refuse(what, key, "a string", value);
  }
  for (const key of LISTS) {
    const list: unknown = options[key];
    const listed = list === undefined || (Array.isArray(list) && list.every(isText));
    if (!listed) refuse(what, key, "a list of strings", list);
  }
  for (const key of FLAGS) {
    const value: unknown = options[key];
    if (value !== undefined && typeof value !== "boolean") refuse(what, key, "true or false", value);
  }
  const { minMessageCount, archived, hidden } = options;
  if (minMessageCount !== undefined && !Number.isSafeInteger(minMessageCount)) {
    refuse(what, "minMessageCount", "a whole number", minMessageCount);
  }
  if (archived !== undefined) checkChoice(`${what}: archived`, archived, ["hide", "include", "only"]);
  if (hidden !== undefined) checkChoice(`${what}: hidden`, hidden, ["hide", "include"]);
}

/**
 * Refuses unknown keys and wrong types in a filter.
 *
 * @throws TypeError.
 */
export function checkFilter(what: string, filter: SessionFilter): void {
  checkKnownOptions(what, filter, FILTER_KEYS);
  checkValues(what, filter);
}

/** As {@link checkFilter}, for the options of a listing. */
export function checkListOptions(what: string, options: SessionListOptions): void {
  checkKnownOptions(what, options, LIST_KEYS);
  checkValues(what, options);
}
