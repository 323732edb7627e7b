import { StateError } from "@hermes/state-core";
import { judgePattern } from "./judge-pattern.js";
import type { SecretPattern } from "./secret-pattern.js";

/** Patterns beyond the built-in ones: the source of an expression, or a bare one, is of the kind `own`. */
export type OwnPatterns = readonly (string | RegExp | SecretPattern)[];

const KIND = /^[a-z][a-z0-9-]{0,39}$/;

/**
 * Makes patterns of the caller ready for use.
 *
 * @throws TypeError when one is no expression; STATE_E_REDACT_PATTERN when one cannot be read, matches an empty text,
 * could take without end, or has a kind that is no lower-case word.
 */
export function checkPatterns(own: OwnPatterns = []): readonly SecretPattern[] {
  return own.map(checkPattern);
}

function checkPattern(given: string | RegExp | SecretPattern): SecretPattern {
  const { kind, pattern } =
    typeof given === "string"
      ? { kind: "own", pattern: compiled(given) }
      : given instanceof RegExp
        ? { kind: "own", pattern: given }
        : ((given as Partial<SecretPattern> | null | undefined) ?? {});
  if (!(pattern instanceof RegExp))
    throw new TypeError("redact: a pattern must be a string, a RegExp or { kind, pattern }.");
  if (typeof kind !== "string" || !KIND.test(kind))
    throw badPattern(
      pattern.source,
      `is of the kind ${JSON.stringify(kind)}, which must be lower-case words with hyphens`,
    );
  const reason = judgePattern(pattern);
  if (reason !== undefined) throw badPattern(pattern.source, reason);
  return { kind, pattern: new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, "")}g`) };
}

function compiled(source: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch {
    // Without the flag more is allowed, such as an escaped letter that means itself.
  }
  try {
    return new RegExp(source);
  } catch (error) {
    throw badPattern(source, "cannot be read as a regular expression", error);
  }
}

function badPattern(source: string, reason: string, cause?: unknown): StateError {
  return new StateError(
    "STATE_E_REDACT_PATTERN",
    `The pattern ${JSON.stringify(source)} ${reason}. Nothing was redacted; change the pattern.`,
    { pattern: source, reason },
    cause === undefined ? {} : { cause },
  );
}
