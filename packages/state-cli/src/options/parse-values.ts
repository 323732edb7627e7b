import { InvalidArgumentError } from "commander";

const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

/** A whole number from `least` upwards. */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= least) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} upwards.`);
  };
}

/** Collects an option that may be given several times. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

/** A point in time that has not been resolved yet: a duration counts back from now. */
export type Moment = { readonly secondsAgo: number } | { readonly seconds: number };

/** `5h`, `30m`, `2d`, `1w` ago, or an ISO date or date and time (local unless it names a zone). */
export function moment(text: string): Moment {
  const duration = /^(\d{1,9})([mhdw])$/.exec(text);
  if (duration) return { secondsAgo: Number(duration[1]) * (UNIT_SECONDS[duration[2] ?? ""] ?? 0) };
  const iso = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(text);
  const ms = iso ? Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text.replace(" ", "T")) : NaN;
  if (Number.isFinite(ms)) return { seconds: ms / 1000 };
  throw new InvalidArgumentError("It must be like 5h, 30m, 2d, 1w, 2026-03-01 or 2026-03-01T10:00Z.");
}

/** REAL seconds of a {@link Moment}. */
export function resolveMoment(at: Moment | undefined, nowSeconds: number): number | undefined {
  if (at === undefined) return undefined;
  return "seconds" in at ? at.seconds : nowSeconds - at.secondsAgo;
}
