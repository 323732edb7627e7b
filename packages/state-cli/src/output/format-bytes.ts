const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** A size for people: `0 B`, `12.4 KiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit] ?? ""}`;
}
