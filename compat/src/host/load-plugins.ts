import { checkKnownOptions } from "@hermes/state-core";
import type { CompatName } from "../analyser/compat-name.js";
import { moment, today } from "../runtime/today.js";
import { loadNames } from "../scan/load-names.js";
import type { PluginHit } from "../scan/plugin-hit.js";
import type { HostedPlugin, LoadedPlugin } from "./plugin.js";
import { pluginPhase } from "./plugin-phase.js";
import type { PluginPhase } from "./plugin-phase.js";
import { scanHosted } from "./scan-hosted.js";
import { writeReport } from "./write-report.js";
import type { CompatReport } from "./write-report.js";

/** How a host loads its plugins. */
export interface LoadPluginsOptions {
  /** Load plugins although names they use are gone. Only the literal `true` counts. */
  readonly allowDeprecatedImports?: unknown;
  /** Where the report goes; none is written when absent. */
  readonly reportFile?: string;
  /** Scan again, also what this process has scanned before. */
  readonly force?: boolean;
  /** The day, `YYYY-MM-DD`; today when absent. */
  readonly day?: string;
  /** The names that do not stay; those of this package when absent. */
  readonly records?: readonly CompatName[];
}

const KNOWN = ["allowDeprecatedImports", "reportFile", "force", "day", "records"];

function count(hits: readonly PluginHit[]): string {
  return hits.length === 1 ? "1 import path" : `${hits.length} import paths`;
}

function reasonOf(plugin: HostedPlugin, hits: readonly PluginHit[], { state, removal, daysLeft }: PluginPhase): string {
  const command = `hermes-state plugins compat ${plugin.root ?? plugin.name}`;
  const uses = count(hits);
  if (state === "disabled") {
    return `uses ${uses} removed on ${removal ?? ""}; run ${command}, or set allowDeprecatedImports to true`;
  }
  if (state === "forced") return `force-loaded although it uses ${uses} removed on ${removal ?? ""}; run ${command}`;
  const when = removal === null ? "" : `, the first of them removed on ${removal} (in ${daysLeft ?? 0} days)`;
  return `uses ${uses} that do not stay${when}; run ${command}`;
}

/** A name that an entry point does not have fails when the module is linked: it is told as what it is. */
function failureOf(error: unknown): string {
  const text = error instanceof Error ? error.message : "it threw no error";
  return error instanceof SyntaxError && text.includes("does not provide an export")
    ? `imports a name that is not there: ${text}`
    : text;
}

async function loadOne(plugin: HostedPlugin, hits: readonly PluginHit[], phase: PluginPhase): Promise<LoadedPlugin> {
  const { name } = plugin;
  const reason = phase.state === "loaded" ? null : reasonOf(plugin, hits, phase);
  if (phase.state === "disabled") return { name, state: "disabled", module: undefined, reason, hits };
  try {
    return { name, state: phase.state, module: await plugin.load(), reason, hits };
  } catch (error) {
    return { name, state: "failed", module: undefined, reason: failureOf(error), hits };
  }
}

function reportOf(
  found: ReadonlyMap<string, readonly PluginHit[]>,
  phases: readonly PluginPhase[],
): CompatReport | null {
  const concerned = [...found].filter(([, hits]) => hits.length > 0);
  if (concerned.length === 0) return null;
  const [removal = null] = phases.flatMap((phase) => (phase.removal === null ? [] : [phase.removal])).sort();
  const inEffect = phases.some(({ state }) => state === "disabled" || state === "forced");
  const names = concerned.map(([name, hits]) => `${name} (${hits.length})`).join(", ");
  const head = inEffect ? `Plugins use names that are gone: ${names}.` : `Plugins use names that go: ${names}.`;
  return {
    removal_date: removal,
    in_effect: inEffect,
    written_at: moment(),
    plugins: Object.fromEntries(
      concerned.map(([name, hits]) => [
        name,
        hits.map(({ file, line, old, new: to }) => ({ file, line, old, new: to })),
      ]),
    ),
    lines: [head, "Run: hermes-state plugins compat <folder of the plugin> --fix"],
  };
}

/**
 * Loads the plugins of a host by the dates of the names they use: with a notice before the first of them is gone, not
 * at all from that day on unless the host says so (CPT-07). Plugins are scanned, never run, to find that out; one that
 * fails does not keep the others from being loaded.
 *
 * @example
 * ```ts
 * const plugins = await loadPlugins([{ name: "clock", root: "/srv/plugins/clock", load: () => import("clock") }]);
 * ```
 * @throws TypeError for an unknown option.
 */
export async function loadPlugins(
  plugins: readonly HostedPlugin[],
  options: LoadPluginsOptions = {},
): Promise<readonly LoadedPlugin[]> {
  checkKnownOptions("loadPlugins", options, KNOWN);
  const { day = today(), records = loadNames(), force = false, reportFile } = options;
  const { hits: found, unscanned } = scanHosted(plugins, records, force);
  const phases = plugins.map(({ name }) => pluginPhase(found.get(name) ?? [], day, options.allowDeprecatedImports));
  if (reportFile !== undefined) writeReport(reportFile, reportOf(found, phases));
  const loaded: LoadedPlugin[] = [];
  for (const [at, plugin] of plugins.entries()) {
    const result = await loadOne(plugin, found.get(plugin.name) ?? [], phases[at] as PluginPhase);
    const reason = unscanned.get(plugin.name);
    loaded.push(reason === undefined ? result : { ...result, reason: result.reason ?? `was not scanned: ${reason}` });
  }
  return loaded;
}
