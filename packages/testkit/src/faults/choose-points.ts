/** A kill before a statement that only reads is one before the next that does not: the file is the same. */
const READS = /^\s*(?:SELECT|WITH|PRAGMA\s+(?!wal_checkpoint|journal_mode|incremental_vacuum))/i;

/**
 * Picks the statements of a run to die at: of every distinct text the first, the second and the last occurrence, the
 * end of the run, and others evenly spread. Statements that only read are left out.
 *
 * @param statements - Texts in the order they ran.
 * @param most - How many points, unless the distinct texts alone need more; Infinity for every one of them.
 * @returns Positions from 1; `statements.length + 1` is the end of the run.
 */
export function choosePoints(statements: readonly string[], most: number): readonly number[] {
  const end = statements.length + 1;
  const points = new Set<number>([end]);
  const occurrences = new Map<string, number[]>();
  statements.forEach((text, index) => {
    if (READS.test(text)) return;
    const places = occurrences.get(text) ?? [];
    places.push(index + 1);
    occurrences.set(text, places);
  });
  for (const places of occurrences.values()) {
    for (const place of [places[0], places[1], places.at(-1)]) if (place !== undefined) points.add(place);
  }
  const others = [...occurrences.values()].flat().filter((place) => !points.has(place));
  others.sort((a, b) => a - b);
  const left = Math.min(most - points.size, others.length);
  for (let n = 0; n < left; n++) points.add(others[Math.floor((n * others.length) / left)] ?? end);
  return [...points].sort((a, b) => a - b);
}
