/** A session and a moment in REAL seconds. */
export interface Moment {
  readonly id: string;
  readonly moment: number;
}

/** Later moments first; equal ones by id, so that every entry has one place. */
function compare(a: Moment, b: Moment): number {
  if (a.moment !== b.moment) return b.moment - a.moment;
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

/** Sessions in the order of one moment each, the latest first. */
export class MomentOrder {
  readonly #sorted: Moment[];
  readonly #byId: Map<string, Moment>;

  /** @param moments - At most one per session. */
  constructor(moments: readonly Moment[]) {
    this.#sorted = [...moments].sort(compare);
    this.#byId = new Map(moments.map((entry) => [entry.id, entry]));
  }

  /** Moves a session to another moment; undefined takes it out. */
  set(id: string, moment: number | undefined): void {
    const before = this.#byId.get(id);
    if (before) this.#sorted.splice(this.#placeOf(before), 1);
    this.#byId.delete(id);
    if (moment === undefined) return;
    const entry = { id, moment };
    this.#byId.set(id, entry);
    this.#sorted.splice(this.#placeOf(entry), 0, entry);
  }

  /** How many sessions are later than a moment. */
  countAfter(moment: number): number {
    return this.#firstWhere((entry) => entry.moment <= moment);
  }

  /** The sessions at the places `from` to `to`, the latter excluded. */
  slice(from: number, to: number): readonly Moment[] {
    return this.#sorted.slice(from, to);
  }

  #placeOf(wanted: Moment): number {
    return this.#firstWhere((entry) => compare(entry, wanted) >= 0);
  }

  /** The first place that passes a test which all places after it pass too. */
  #firstWhere(passes: (entry: Moment) => boolean): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (passes(this.#sorted[middle] as Moment)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
