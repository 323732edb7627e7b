import type { PluginHit } from "../scan/plugin-hit.js";
import type { PluginState } from "./plugin.js";

/** Where a plugin stands by the dates of the names it uses (CPT-07). */
export interface PluginPhase {
  readonly state: Exclude<PluginState, "failed">;
  /** The first day on which a name it uses is gone, `YYYY-MM-DD`; null where none has a day. */
  readonly removal: string | null;
  /** Whole days from today until then; 0 and less: it is gone. Null with `removal`. */
  readonly daysLeft: number | null;
}

const DAY_MS = 86_400_000;

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

/**
 * The phase of a plugin: a notice before the first of its names is gone, disabled from that day on. The way out must be
 * literally true: text that says so is not.
 *
 * @param today - `YYYY-MM-DD`.
 * @throws RangeError for a day that is written in another way.
 */
export function pluginPhase(hits: readonly PluginHit[], today: string, allowDeprecatedImports: unknown): PluginPhase {
  if (!/^\d{4}-\d\d-\d\d$/.test(today) || Number.isNaN(Date.parse(today))) {
    throw new RangeError(`A day is written YYYY-MM-DD, not ${JSON.stringify(today)}.`);
  }
  if (hits.length === 0) return { state: "loaded", removal: null, daysLeft: null };
  const days = hits.flatMap(({ removal }) => (removal === null ? [] : [removal])).sort();
  const [removal] = days;
  if (removal === undefined) return { state: "notice", removal: null, daysLeft: null };
  const daysLeft = daysBetween(today, removal);
  if (daysLeft > 0) return { state: "notice", removal, daysLeft };
  return { state: allowDeprecatedImports === true ? "forced" : "disabled", removal, daysLeft };
}
