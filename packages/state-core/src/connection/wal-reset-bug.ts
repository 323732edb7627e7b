/** Parses "3.51.2" to [3, 51, 2]; missing parts are 0. */
function parts(version: string): readonly [number, number, number] {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return [major, minor, patch];
}

function atLeast(version: string, floor: string): boolean {
  const a = parts(version);
  const b = parts(floor);
  for (let index = 0; index < 3; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function within(version: string, from: string, before: string): boolean {
  return atLeast(version, from) && !atLeast(version, before);
}

/**
 * True for SQLite builds whose WAL reset can lose committed pages: 3.7.0 up to 3.51.2, except the releases that carry
 * the fix, 3.44.6 and later of 3.44 and 3.50.7 and later of 3.50.
 *
 * @param version - As `sqlite_version()` spells it. Source of the rule: COR-01, docs/wal.md.
 */
export function hasWalResetBug(version: string): boolean {
  if (!within(version, "3.7.0", "3.51.3")) return false;
  return !within(version, "3.44.6", "3.45.0") && !within(version, "3.50.7", "3.51.0");
}
