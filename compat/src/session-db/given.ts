/** Options as they were given, without those that are null: both mean that nothing was said. */
export type Given<T> = { readonly [K in keyof T]?: NonNullable<T[K]> };

/** Leaves out what was given as null. */
export function given<T extends object>(options: T): Given<T> {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== null && value !== undefined),
  ) as Given<T>;
}
