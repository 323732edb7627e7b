import type { OwnPatterns } from "./check-patterns.js";
import { Redactor } from "./redactor.js";

/**
 * Replaces secrets in every string of a value by `[REDACTED:<kind>]`: keys of providers, tokens, private keys,
 * passwords in addresses and assignments. JSON that is held as text stays JSON. Doing it twice changes nothing more
 * (POR-06).
 *
 * @param value - Text, or a structure of arrays and objects with text in it.
 * @param patterns - More than the built-in ones.
 * @throws TypeError or RangeError for a pattern that is none, or that could take for ever.
 * @example
 * ```ts
 * redact({ url: "postgres://me:hunter2@db/x" }); // { url: "postgres://me:[REDACTED:url-password]@db/x" }
 * ```
 */
export function redact<T>(value: T, patterns?: OwnPatterns): T {
  return new Redactor(patterns).value(value) as T;
}
