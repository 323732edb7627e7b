import { checkKnownOptions } from "@hermes/state-core";
import type { CompatName } from "../analyser/compat-name.js";
import { today } from "../runtime/today.js";
import { loadNames } from "../scan/load-names.js";
import type { JudgedPlugin } from "./judged-plugin.js";
import type { HostedPlugin, LoadedPlugin } from "./plugin.js";
import { pluginPhase } from "./plugin-phase.js";
import { reportOf } from "./report-of.js";
import { scanHosted } from "./scan-hosted.js";
import { writeReport } from "./write-report.js";

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

function count(amount: number, what: string): string {
  return amount === 1 ? `1 ${what}` : `${amount} ${what}s`;
}

function reasonOf({ plugin, hits, phase }: JudgedPlugin, day: string): string | null {
  if (phase.state === "loaded") return null;
  const { removal, daysLeft } = phase;
  const command = `hermes-state plugins compat ${plugin.root ?? plugin.name}`;
  if (phase.state === "notice") {
    const uses = count(hits.length, "import path");
    const when =
      removal === null ? "" : `, the first of them removed on ${removal} (in ${count(daysLeft ?? 0, "day")})`;
    return `uses ${uses} that ${hits.length === 1 ? "does" : "do"} not stay${when}; run ${command}`;
  }
  const gone = hits.flatMap((hit) => (hit.removal !== null && hit.removal <= day ? [hit.removal] : [])).sort();
  const since = `${gone[0] === gone.at(-1) ? "on" : "by"} ${gone.at(-1) ?? ""}`;
  const uses = `${count(gone.length, "import path")} removed ${since}`;
  return phase.state === "forced"
    ? `force-loaded although it uses ${uses}; run ${command}`
    : `uses ${uses}; run ${command}, or set allowDeprecatedImports to true`;
}

/** A name that an entry point does not have fails when the module is linked: it is told as what it is. */
function failureOf(error: unknown): string {
  const text = error instanceof Error ? error.message : "it threw no error";
  return error instanceof SyntaxError && text.includes("does not provide an export")
    ? `imports a name that is not there: ${text}`
    : text;
}

async function loadOne(judged: JudgedPlugin, day: string): Promise<LoadedPlugin> {
  const { plugin, hits, phase, unscanned } = judged;
  const { name } = plugin;
  const reason = unscanned === null ? reasonOf(judged, day) : `was not scanned: ${unscanned}`;
  if (phase.state === "disabled") return { name, state: "disabled", module: undefined, reason, hits };
  try {
    return { name, state: phase.state, module: await plugin.load(), reason, hits };
  } catch (error) {
    return { name, state: "failed", module: undefined, reason: failureOf(error), hits };
  }
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
 * @throws TypeError for an unknown option, RangeError for a day that is written in another way.
 */
export async function loadPlugins(
  plugins: readonly HostedPlugin[],
  options: LoadPluginsOptions = {},
): Promise<readonly LoadedPlugin[]> {
  checkKnownOptions("loadPlugins", options, KNOWN);
  const { day = today(), records = loadNames(), force = false, reportFile } = options;
  const judged = plugins.map((plugin): JudgedPlugin => {
    const scan = scanHosted(plugin, records, force);
    return { plugin, ...scan, phase: pluginPhase(scan.hits, day, options.allowDeprecatedImports) };
  });
  if (reportFile !== undefined) writeReport(reportFile, reportOf(judged));
  const loaded: LoadedPlugin[] = [];
  for (const one of judged) loaded.push(await loadOne(one, day));
  return loaded;
}
