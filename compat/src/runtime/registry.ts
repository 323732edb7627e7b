import type { CompatUse } from "./deprecated-name.js";

/** What a process knows about uses of deprecated names. */
export interface CompatRegistry {
  /** `plugin name`, one space between: each pair is reported once (CPT-04). */
  readonly reported: Set<string>;
  readonly listeners: Set<(use: CompatUse) => unknown>;
}

const KEY = Symbol.for("hermes.compat.registry");

/** One registry for both module systems and every copy of this package. */
export function registry(): CompatRegistry {
  const holder = globalThis as { [KEY]?: CompatRegistry | undefined };
  const found = holder[KEY];
  if (found) return found;
  return (holder[KEY] = { reported: new Set(), listeners: new Set() });
}
