const two = (value: number): string => String(value).padStart(2, "0");

function fields(seconds: number): { day: string[]; time: string[] } {
  const at = new Date(seconds * 1000);
  return {
    day: [String(at.getFullYear()).padStart(4, "0"), two(at.getMonth() + 1), two(at.getDate())],
    time: [two(at.getHours()), two(at.getMinutes()), two(at.getSeconds())],
  };
}

/**
 * A moment as the names of bundles spell it: local time, `YYYYMMDD_HHMMSS`.
 *
 * @param seconds - REAL seconds since the epoch.
 */
export function fileStamp(seconds: number): string {
  const { day, time } = fields(seconds);
  return `${day.join("")}_${time.join("")}`;
}

/**
 * A moment as the ledger spells it: local time, ISO, whole seconds, no zone.
 *
 * @param seconds - REAL seconds since the epoch.
 */
export function localIso(seconds: number): string {
  const { day, time } = fields(seconds);
  return `${day.join("-")}T${time.join(":")}`;
}
