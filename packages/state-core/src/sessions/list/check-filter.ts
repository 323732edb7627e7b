import { checkChoice } from "../../codec/check-choice.js";
import { checkKnownOptions } from "../../config/check-known-options.js";
import { checkBooleans, checkMatch, checkTexts, MATCH_KEYS } from "./check-match.js";
import type { SessionFilter, SessionListOptions } from "./session-filter.js";

const TEXTS = ["idQuery", "searchQuery"] as const;

const FLAGS = ["archived", "hidden", "includeChildren"] as const;

const FILTER_KEYS: readonly (keyof SessionFilter)[] = [...MATCH_KEYS, ...TEXTS, ...FLAGS];

const LIST_KEYS: readonly (keyof SessionListOptions)[] = [
  ...FILTER_KEYS,
  "order",
  "limit",
  "offset",
  "cursor",
  "includePinned",
  "projectTips",
];

function checkValues(what: string, options: SessionListOptions): void {
  checkMatch(what, options);
  checkTexts(what, options, TEXTS);
  checkBooleans(what, options, ["includeChildren", "includePinned", "projectTips"]);
  const { archived, hidden } = options;
  if (archived !== undefined) checkChoice(`${what}: archived`, archived, ["hide", "include", "only"]);
  if (hidden !== undefined) checkChoice(`${what}: hidden`, hidden, ["hide", "include"]);
}

/**
 * Refuses unknown keys and wrong types in a filter.
 *
 * @throws TypeError, RangeError.
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
