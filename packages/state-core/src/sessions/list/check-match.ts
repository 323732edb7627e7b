import type { SessionMatch } from "./session-match.js";

type Given = Required<SessionMatch>;
type KeyOf<T> = { [K in keyof Given]: Given[K] extends T ? K : never }[keyof Given];
type Range = readonly [from: KeyOf<number>, to: KeyOf<number>];

const TEXTS: readonly KeyOf<string>[] = [
  "source",
  "sessionKey",
  "userId",
  "chatId",
  "chatType",
  "cwdPrefix",
  "endReason",
  "titleLike",
  "modelLike",
  "branchLike",
  "provider",
];
const LISTS: readonly KeyOf<readonly string[]>[] = ["sources", "excludeSources"];

/** From and to; the second value may be the same as the first. */
const RANGES: readonly Range[] = [
  ["minMessageCount", "maxMessageCount"],
  ["minToolCallCount", "maxToolCallCount"],
  ["minTokens", "maxTokens"],
  ["minCostUsd", "maxCostUsd"],
];

/** From and to; the end itself is not in the window. */
const WINDOWS: readonly Range[] = [
  ["startedAfterSeconds", "startedBeforeSeconds"],
  ["lastActiveAfterSeconds", "lastActiveBeforeSeconds"],
];

const WHOLE_NUMBERS = new Set<keyof SessionMatch>(RANGES.slice(0, 3).flat());

/** The keys of {@link SessionMatch}. */
export const MATCH_KEYS: readonly (keyof SessionMatch)[] = [...TEXTS, ...LISTS, ...RANGES.flat(), ...WINDOWS.flat()];

function refuse(what: string, key: string, wanted: string, value: unknown): never {
  throw new TypeError(`${what}: ${key} must be ${wanted}, not ${JSON.stringify(value)}.`);
}

/** Checks that optional values are text. */
export function checkTexts<T extends object>(what: string, options: T, keys: readonly (keyof T & string)[]): void {
  for (const key of keys) {
    const value = options[key];
    if (value !== undefined && typeof value !== "string") refuse(what, key, "a string", value);
  }
}

/** Checks that optional values are true or false. */
export function checkBooleans<T extends object>(what: string, options: T, keys: readonly (keyof T & string)[]): void {
  for (const key of keys) {
    const value = options[key];
    if (value !== undefined && typeof value !== "boolean") refuse(what, key, "true or false", value);
  }
}

function checkNumber(what: string, key: keyof SessionMatch, value: unknown): void {
  if (value === undefined) return;
  const whole = WHOLE_NUMBERS.has(key);
  if (typeof value !== "number" || (whole && !Number.isSafeInteger(value))) {
    refuse(what, key, whole ? "a whole number" : "a number", value);
  }
  if (!(value >= 0 && Number.isFinite(value))) {
    throw new RangeError(`${what}: ${key} must be 0 or more, not ${String(value)}.`);
  }
}

function checkRange(what: string, match: SessionMatch, [from, to]: Range, open: boolean): void {
  checkNumber(what, from, match[from]);
  checkNumber(what, to, match[to]);
  const first = match[from] ?? Number.NEGATIVE_INFINITY;
  const last = match[to] ?? Number.POSITIVE_INFINITY;
  if (first < last || (!open && first === last)) return;
  throw new RangeError(`${what}: nothing lies between ${from} ${String(first)} and ${to} ${String(last)}.`);
}

/**
 * Refuses values of wrong types, and ranges that nothing can lie in.
 *
 * @throws TypeError, RangeError.
 */
export function checkMatch(what: string, match: SessionMatch): void {
  checkTexts(what, match, TEXTS);
  for (const key of LISTS) {
    const list: unknown = match[key];
    const listed = list === undefined || (Array.isArray(list) && list.every((item) => typeof item === "string"));
    if (!listed) refuse(what, key, "a list of strings", list);
  }
  for (const range of RANGES) checkRange(what, match, range, false);
  for (const window of WINDOWS) checkRange(what, match, window, true);
}
