import { wallClock } from "../policy/wall-clock.js";

const DAY = 86_400;

/** Whole seconds and the microseconds beyond them. */
function split(seconds: number): readonly [whole: number, micros: number] {
  const total = Math.round(seconds * 1e6);
  const whole = Math.floor(total / 1e6);
  return [whole, total - whole * 1e6];
}

function pad(value: number, width = 2): string {
  return String(value).padStart(width, "0");
}

function fraction(micros: number): string {
  return micros === 0 ? "" : `.${pad(micros, 6)}`;
}

function shownAs(wall: Date, micros: number): string {
  return wall.toISOString().replace(/\.\d+Z$/, "") + fraction(micros);
}

/**
 * What the clocks show at a moment, as Python's `datetime.isoformat()` writes a time without zone.
 *
 * @param seconds - REAL seconds.
 * @param zone - IANA name of a time zone; the zone of the process when not given.
 */
export function localIso(seconds: number, zone?: string): string {
  const [whole, micros] = split(seconds);
  if (zone !== undefined) return shownAs(new Date(wallClock(whole, zone) * 1000), micros);
  const at = new Date(whole * 1000);
  const date = `${pad(at.getFullYear(), 4)}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  return `${date}T${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}${fraction(micros)}`;
}

/** The same in UTC with its offset, as Python writes a time that knows its zone. */
export function utcIso(seconds: number): string {
  const [whole, micros] = split(seconds);
  return `${shownAs(new Date(whole * 1000), micros)}+00:00`;
}

/** The moment at which the clocks of a zone show this; the first one where they show it twice (Python's fold 0). */
function momentIn(zone: string, wall: number): number {
  const before = wall - (wallClock(wall - DAY, zone) - (wall - DAY));
  const after = wall - (wallClock(wall + DAY, zone) - (wall + DAY));
  const shown = [before, after].filter((at) => wallClock(at, zone) === wall);
  // In a gap the clocks never show it: Python counts on with the offset before.
  return shown.length === 0 ? before : Math.min(...shown);
}

function momentHere(wall: number): number {
  const at = new Date(wall * 1000);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  return new Date(year, month, day, at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()).getTime() / 1000;
}

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?(Z|[+-]\d\d:?\d\d(?::?\d\d)?)?$/i;

function offsetSeconds(text: string): number {
  const digits = text.replace(/\D/g, "").padEnd(6, "0");
  const total = Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2, 4)) * 60 + Number(digits.slice(4, 6));
  return text.startsWith("-") ? -total : total;
}

/**
 * Reads a time as Python's `datetime.fromisoformat` does: with an offset where it has one, else as the clocks of a zone
 * show it.
 *
 * @param zone - IANA name of a time zone; the zone of the process when not given.
 * @returns REAL seconds; undefined for what is no such time.
 */
export function parseIso(text: string, zone?: string): number | undefined {
  const [, year, month = "", day = "", hour = "0", minute = "0", second = "0", digits = "", offset] =
    ISO.exec(text) ?? [];
  if (year === undefined) return undefined;
  const wall = Date.UTC(+year, Number(month) - 1, Number(day), +hour, +minute, +second) / 1000;
  if (Number.isNaN(wall) || new Date(wall * 1000).toISOString().slice(5, 10) !== `${month}-${day}`) return undefined;
  if (+hour > 23 || +minute > 59 || +second > 59) return undefined;
  const micros = Number(digits.slice(0, 6).padEnd(6, "0"));
  const whole = offset ? wall - offsetSeconds(offset) : zone === undefined ? momentHere(wall) : momentIn(zone, wall);
  return (whole * 1e6 + micros) / 1e6;
}
