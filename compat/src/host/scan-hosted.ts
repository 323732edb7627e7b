import { isAbsolute } from "node:path";
import { scanPlugin } from "../scan/scan-plugin.js";
import type { CompatName } from "../analyser/compat-name.js";
import type { PluginHit } from "../scan/plugin-hit.js";
import type { HostedPlugin } from "./plugin.js";

/** What the scan of a plugin found, or why there was none. */
export interface HostedScan {
  readonly hits: readonly PluginHit[];
  /** Null for a plugin that was scanned, or that has no folder. */
  readonly unscanned: string | null;
}

/** What was found, by the names that were looked for and the folder. */
const scans = new WeakMap<readonly CompatName[], Map<string, readonly PluginHit[]>>();

function hitsBelow(root: string, records: readonly CompatName[], force: boolean): readonly PluginHit[] {
  const known = scans.get(records) ?? new Map<string, readonly PluginHit[]>();
  const hits = (force ? undefined : known.get(root)) ?? scanPlugin(root, records);
  scans.set(records, known.set(root, hits));
  return hits;
}

/**
 * Scans a plugin without running any of it. A folder is scanned once in a process; one that could not be scanned is
 * tried again.
 *
 * @param force - Scan again.
 */
export function scanHosted({ root }: HostedPlugin, records: readonly CompatName[], force: boolean): HostedScan {
  if (root === null || root === undefined) return { hits: [], unscanned: null };
  // A relative path would mean the working folder of the host, which is nobody's plugin.
  if (!isAbsolute(root)) return { hits: [], unscanned: `its folder ${JSON.stringify(root)} is not absolute` };
  try {
    return { hits: hitsBelow(root, records, force), unscanned: null };
  } catch (error) {
    return { hits: [], unscanned: error instanceof Error ? error.message : "it cannot be read" };
  }
}
