import type { CompatUse } from "../runtime/deprecated-name.js";
import { registry } from "../runtime/registry.js";

/**
 * Tells a host of each first use of a name that does not stay, by a plugin, in every mode of warnings (CPT-04).
 *
 * @returns Ends it.
 */
export function onCompatUse(listener: (use: CompatUse) => unknown): () => void {
  const { listeners } = registry();
  // A function may be given twice, and each time ends by itself.
  const told = (use: CompatUse): unknown => listener(use);
  listeners.add(told);
  return () => void listeners.delete(told);
}
