import { StateError } from "@hermes/state-core";

const formatters = new Map<string, Intl.DateTimeFormat>();

function createFormatter(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch (cause) {
    const message = `"${zone}" is no time zone that this machine knows. Name one as in "Europe/Berlin" or "UTC".`;
    throw new StateError("STATE_E_BAD_TIME_ZONE", message, { zone }, { cause });
  }
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone);
  if (formatter === undefined) {
    formatter = createFormatter(zone);
    formatters.set(zone, formatter);
  }
  return formatter;
}

/**
 * What the clocks of a zone show, counted in seconds as if they showed UTC: days are multiples of 86,400.
 *
 * @param atSeconds - Whole REAL seconds of a year from 1 on.
 * @param zone - IANA name of a time zone.
 * @throws StateError `STATE_E_BAD_TIME_ZONE` for an unknown zone.
 */
export function wallClock(atSeconds: number, zone: string): number {
  const shown = formatterOf(zone).format(atSeconds * 1000);
  const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = (shown.match(/\d+/g) ?? []).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
}

/** The time zone of this machine. */
export function systemZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * Checks a time zone before it is needed.
 *
 * @throws StateError `STATE_E_BAD_TIME_ZONE` for an unknown zone.
 */
export function checkTimeZone(zone: string): string {
  // The first formatter of a process costs 20 ms; a zone that always exists needs none.
  if (zone !== "UTC") formatterOf(zone);
  return zone;
}
