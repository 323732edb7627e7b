/** Key ranges of a table that whole parts of its tree account for. */
export class CoveredKeys {
  /** Sorted, apart from each other. */
  #ranges: { first: number; last: number }[] = [];

  /** Adds a range; ranges mostly come in ascending order. */
  add(first: number, last: number): void {
    if (first > last) return;
    const end = this.#ranges.at(-1);
    if (end === undefined || first > end.last + 1) {
      this.#ranges.push({ first, last });
      return;
    }
    if (first >= end.first) {
      end.last = Math.max(end.last, last);
      return;
    }
    this.#ranges.push({ first, last });
    this.#merge();
  }

  /** True when a row with this key would have been found in the tree, had it been alive. */
  has(key: number): boolean {
    let low = 0;
    let high = this.#ranges.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const range = this.#ranges[middle];
      if (range === undefined) return false;
      if (key < range.first) high = middle - 1;
      else if (key > range.last) low = middle + 1;
      else return true;
    }
    return false;
  }

  #merge(): void {
    const sorted = this.#ranges.sort((a, b) => a.first - b.first);
    const merged: { first: number; last: number }[] = [];
    for (const range of sorted) {
      const end = merged.at(-1);
      if (end && range.first <= end.last + 1) end.last = Math.max(end.last, range.last);
      else merged.push(range);
    }
    this.#ranges = merged;
  }
}
