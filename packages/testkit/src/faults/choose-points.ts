/**
 * Picks the statements of a run to die at: of every distinct text the first, the second and the last occurrence, the
 * end of the run, and others evenly spread.
 *
 * @param statements - Texts in the order they ran.
 * @param most - How many points, unless the distinct texts alone need more; Infinity for every statement.
 * @returns Positions from 1; `statements.length + 1` is the end of the run.
 */
export function choosePoints(statements: readonly string[], most: number): readonly number[] {
  const end = statements.length + 1;
  const points = new Set<number>([end]);
  const occurrences = new Map<string, number[]>();
  statements.forEach((text, index) => {
    const places = occurrences.get(text) ?? [];
    places.push(index + 1);
    occurrences.set(text, places);
  });
  for (const places of occurrences.values()) {
    for (const place of [places[0], places[1], places.at(-1)]) if (place !== undefined) points.add(place);
  }
  const left = Math.min(most, end) - points.size;
  const others = Array.from({ length: end }, (_, index) => index + 1).filter((place) => !points.has(place));
  for (let n = 0; n < left; n++) points.add(others[Math.floor((n * others.length) / left)] ?? end);
  return [...points].sort((a, b) => a - b);
}
