import type { CompatUse } from "../runtime/deprecated-name.js";
import { registry } from "../runtime/registry.js";

/**
 * Tells a host of each first use of a name that does not stay, by a plugin, in every mode of warnings (CPT-04).
 *
 * @returns Ends it.
 */
export function onCompatUse(listener: (use: CompatUse) => void): () => void {
  const { listeners } = registry();
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
