import { isJsonObject, systemClock } from "@hermes/state-core";

function secondsIn(activity: Readonly<Record<string, unknown>>, names: readonly string[]): number | undefined {
  const found = names.map((name) => activity[name]).find((value) => typeof value === "number");
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/**
 * How long an agent has been silent, from what it says of its activity: how long ago the last one was, or when
 * (CPT-03).
 *
 * @param activity - With `secondsSinceActivity` or `lastActivityAtSeconds`, or as the old program spelt them:
 * `seconds_since_activity`, `last_activity_ts`.
 * @param now - REAL seconds, alone or as an option. Default: now.
 * @returns Null when the activity does not say.
 */
export function resolveSessionIdleSecondsFromActivity(
  activity: unknown,
  now?: number | { readonly now?: number },
): number | null {
  if (!isJsonObject(activity)) return null;
  const since = secondsIn(activity, ["secondsSinceActivity", "seconds_since_activity"]);
  if (since !== undefined) return Math.max(0, since);
  const last = secondsIn(activity, ["lastActivityAtSeconds", "last_activity_ts"]);
  if (last === undefined) return null;
  const at = typeof now === "object" ? now.now : now;
  return Math.max(0, (at ?? systemClock.now()) - last);
}
