import { callArguments } from "./call-arguments.js";
import { flagOf } from "./flag-of.js";

/** A parameter that is given alone, or by name in an object. */
export type Alone<K extends string, V> = V | { readonly [N in K]?: V };

/**
 * Reads the last parameter of a method that has but one which may be left out.
 *
 * @returns Its value; undefined where it is left out, or null.
 * @throws TypeError for an object with any other name.
 */
export function oneArgument<K extends string, V>(
  what: string,
  name: K,
  given: Alone<K, V> | null | undefined,
): NonNullable<V> | undefined {
  return (callArguments(what, [given], [name])[name] as V | null | undefined) ?? undefined;
}

function typedArgument(type: "number" | "string", what: string, name: string, given: unknown): unknown {
  const value = oneArgument(what, name, given);
  if (value === undefined || typeof value === type) return value;
  throw new TypeError(`${what}: ${name} must be a ${type}, not ${typeof value}.`);
}

/** The same for a number. @throws TypeError for what is none. */
export function numberArgument<K extends string>(
  what: string,
  name: K,
  given: Alone<K, number | null> | null | undefined,
): number | undefined {
  return typedArgument("number", what, name, given) as number | undefined;
}

/** The same for text. @throws TypeError for what is none. */
export function textArgument<K extends string>(
  what: string,
  name: K,
  given: Alone<K, string | null> | null | undefined,
): string | undefined {
  return typedArgument("string", what, name, given) as string | undefined;
}

/** The same for a flag; false where it is left out. @throws TypeError for what is none. */
export function flagArgument<K extends string>(
  what: string,
  name: K,
  given: Alone<K, boolean> | null | undefined,
): boolean {
  return flagOf(`${what}: ${name}`, oneArgument(what, name, given));
}

/** The folder of transcripts, when one is given. @throws TypeError for what is no text: before anything is deleted. */
export function folderArgument(
  what: string,
  given: Alone<"sessionsDir", string | null> | null | undefined,
): string | undefined {
  return textArgument(what, "sessionsDir", given) || undefined;
}
