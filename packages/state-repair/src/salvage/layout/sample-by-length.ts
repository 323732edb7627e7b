/**
 * Picks some of each length: rows of the newest version may be few, and only they show the last columns.
 *
 * @param most - How many of one length.
 */
export class LengthSample<T> {
  readonly #byLength = new Map<number, T[]>();
  constructor(private readonly most: number) {}

  add(length: number, item: T): void {
    const kept = this.#byLength.get(length);
    if (!kept) this.#byLength.set(length, [item]);
    else if (kept.length < this.most) kept.push(item);
  }

  get items(): readonly T[] {
    return [...this.#byLength.values()].flat();
  }
}
