import { isAbsolute } from "node:path";
import { scanPlugin } from "../scan/scan-plugin.js";
import type { CompatName } from "../analyser/compat-name.js";
import type { PluginHit } from "../scan/plugin-hit.js";
import type { HostedPlugin } from "./plugin.js";

/** What scans found, by plugin name; and what could not be scanned. */
export interface HostedScan {
  readonly hits: ReadonlyMap<string, readonly PluginHit[]>;
  /** Reasons by plugin name. */
  readonly unscanned: ReadonlyMap<string, string>;
}

const scans = new Map<string, HostedScan>();

function keyOf(plugins: readonly HostedPlugin[]): string {
  return plugins
    .map(({ name, root }) => `${name}@${root ?? ""}`)
    .sort()
    .join("\n");
}

function scan(plugins: readonly HostedPlugin[], records: readonly CompatName[]): HostedScan {
  const hits = new Map<string, readonly PluginHit[]>();
  const unscanned = new Map<string, string>();
  for (const { name, root } of plugins) {
    if (root === null) continue;
    // A relative path would mean the working folder of the host, which is nobody's plugin.
    if (!isAbsolute(root)) unscanned.set(name, `its folder ${JSON.stringify(root)} is not absolute`);
    else {
      try {
        hits.set(name, scanPlugin(root, records));
      } catch (error) {
        unscanned.set(name, error instanceof Error ? error.message : "it cannot be read");
      }
    }
  }
  return { hits, unscanned };
}

/**
 * Scans plugins without running any of them. The same plugins in the same places are scanned once in a process.
 *
 * @param force - Scan again.
 */
export function scanHosted(
  plugins: readonly HostedPlugin[],
  records: readonly CompatName[],
  force: boolean,
): HostedScan {
  const key = keyOf(plugins);
  const known = force ? undefined : scans.get(key);
  if (known) return known;
  const found = scan(plugins, records);
  scans.set(key, found);
  return found;
}
