/**
 * Which places of a list form its longest strictly ascending part: in a damaged page those are the keys that stand
 * where they belong.
 *
 * @param keys - NaN never belongs.
 */
export function longestAscending(keys: readonly number[]): ReadonlySet<number> {
  const tails: number[] = [];
  const before: number[] = [];
  keys.forEach((key, place) => {
    if (Number.isNaN(key)) return;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((keys[tails[middle] ?? 0] ?? 0) < key) low = middle + 1;
      else high = middle;
    }
    before[place] = low > 0 ? (tails[low - 1] ?? -1) : -1;
    tails[low] = place;
  });
  const kept = new Set<number>();
  for (let place = tails.at(-1) ?? -1; place >= 0; place = before[place] ?? -1) kept.add(place);
  return kept;
}

/** True when every key is larger than the one before: what an undamaged page holds. */
export function isAscending(keys: readonly number[]): boolean {
  for (let place = 1; place < keys.length; place += 1) {
    if (!((keys[place] ?? 0) > (keys[place - 1] ?? 0))) return false;
  }
  return !Number.isNaN(keys[0] ?? 0);
}
