import type { Match } from "./candidates.js";
import { compareByTime } from "./named-by-time.js";
import type { Direction } from "./named-ids.js";

/** Matches of two sources in one order of time, each once; of the second no more is taken than is asked for. */
export function* mergeByTime(sorted: readonly Match[], more: Iterable<Match>, direction: Direction): Generator<Match> {
  const before = compareByTime(direction);
  const seen = new Set(sorted.map(({ id }) => id));
  let at = 0;
  for (const match of more) {
    if (seen.has(match.id)) continue;
    for (let next = sorted[at]; next !== undefined && before(next, match) < 0; next = sorted[at]) {
      yield next;
      at += 1;
    }
    yield match;
  }
  yield* sorted.slice(at);
}
