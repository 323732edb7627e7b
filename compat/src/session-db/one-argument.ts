import { callArguments } from "./call-arguments.js";

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

/**
 * The folder of transcripts, when one is given.
 *
 * @throws TypeError for what is no text: before anything is deleted.
 */
export function folderArgument(
  what: string,
  given: Alone<"sessionsDir", string | null> | null | undefined,
): string | undefined {
  const folder: unknown = oneArgument(what, "sessionsDir", given);
  if (folder === undefined || typeof folder === "string") return folder || undefined;
  throw new TypeError(`${what}: sessionsDir must be a path, not ${typeof folder}.`);
}
