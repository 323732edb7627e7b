import { moment } from "../runtime/today.js";
import type { PluginHit } from "../scan/plugin-hit.js";
import type { JudgedPlugin } from "./judged-plugin.js";
import type { CompatReport } from "./write-report.js";

type ReportedHit = Pick<PluginHit, "file" | "line" | "old" | "new">;

/** What a host tells people about its plugins; null where there is nothing to say. */
export function reportOf(judged: readonly JudgedPlugin[]): CompatReport | null {
  const plugins = new Map<string, ReportedHit[]>();
  for (const { plugin, hits } of judged) {
    const told = hits.map(({ file, line, old, new: to }) => ({ file, line, old, new: to }));
    if (told.length > 0) plugins.set(plugin.name, [...(plugins.get(plugin.name) ?? []), ...told]);
  }
  if (plugins.size === 0) return null;
  const [removal = null] = judged.flatMap(({ phase }) => (phase.removal === null ? [] : [phase.removal])).sort();
  const inEffect = judged.some(({ phase }) => phase.state === "disabled" || phase.state === "forced");
  const names = [...plugins].map(([name, hits]) => `${name} (${hits.length})`).join(", ");
  return {
    removal_date: removal,
    in_effect: inEffect,
    written_at: moment(),
    plugins: Object.fromEntries(plugins),
    lines: [
      inEffect ? `Plugins use names that are gone: ${names}.` : `Plugins use names that go: ${names}.`,
      "Run: hermes-state plugins compat <folder of the plugin> --fix",
    ],
  };
}
