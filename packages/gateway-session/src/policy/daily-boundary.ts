import { checkSeconds } from "@hermes/state-core";
import { wallClock } from "./wall-clock.js";

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Further than the clocks of any zone are from UTC. */
const REACH = 16 * HOUR;
/** No zone changes its clocks twice within this time. */
const STEP = 4 * HOUR;

/** The first second of the half-open range at whose end the clocks differ from UTC otherwise than at its start. */
function changeBetween(from: number, to: number, zone: string): number {
  const before = wallClock(from, zone) - from;
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (wallClock(middle, zone) - middle === before) low = middle;
    else high = middle;
  }
  return high;
}

/** The parts of a range in each of which the clocks run evenly. */
function evenParts(from: number, to: number, zone: string): readonly (readonly [from: number, to: number])[] {
  if (wallClock(to, zone) - to === wallClock(from, zone) - from) return [[from, to]];
  const change = changeBetween(from, to, zone);
  return [
    [from, change],
    [change, to],
  ];
}

/**
 * The first moment at which the clocks of a zone show this or more: the end of the gap where they skip it, the first
 * time where they show it twice.
 */
function firstReaching(wall: number, zone: string): number {
  for (let at = wall - REACH; at < wall + REACH; at += STEP) {
    for (const [from, to] of evenParts(at, at + STEP, zone)) {
      const reached = Math.max(from, wall - (wallClock(from, zone) - from));
      if (reached < to) return reached;
    }
  }
  return wall + REACH;
}

/** The boundary of one local day; undefined for a day that the zone has skipped. */
function boundaryOf(day: number, atHour: number, zone: string): number | undefined {
  const begins = firstReaching(day * DAY, zone);
  if (Math.floor(wallClock(begins, zone) / DAY) !== day) return undefined;
  return atHour === 0 ? begins : firstReaching(day * DAY + atHour * HOUR, zone);
}

/** The boundary at or before a moment, and the next one after it. */
interface DailySpan {
  readonly from: number;
  readonly to: number;
}

function findSpan(now: number, atHour: number, zone: string): DailySpan {
  const today = Math.floor(wallClock(Math.floor(now), zone) / DAY);
  let [from, to] = [-Infinity, Infinity];
  // A day may be skipped, and clocks that go back over midnight show an earlier day after its boundary has passed.
  for (let day = today - 2; day <= today + 2; day++) {
    const boundary = boundaryOf(day, atHour, zone);
    if (boundary === undefined) continue;
    if (boundary <= now) from = Math.max(from, boundary);
    else to = Math.min(to, boundary);
  }
  return { from, to };
}

/** The last span of each zone and hour: one of them serves every peer for a day. */
const spans = new Map<string, DailySpan>();

function spanAround(now: number, atHour: number, zone: string): DailySpan {
  const key = `${zone} ${String(atHour)}`;
  const known = spans.get(key);
  if (known !== undefined && known.from <= now && now < known.to) return known;
  const span = findSpan(checkSeconds("now", now), atHour, zone);
  spans.set(key, span);
  return span;
}

/**
 * The last moment, `now` at the latest, at which a local day reached its hour. Each local day has exactly one such
 * moment: where the clocks skip the hour it is the end of the gap, where they show it twice it is the first time.
 *
 * @param now - REAL seconds.
 * @param atHour - 0 to 23.
 * @param zone - IANA name of a time zone.
 * @returns REAL seconds.
 * @throws StateError `STATE_E_BAD_TIME_ZONE` for an unknown zone, `STATE_E_BAD_TIMESTAMP` for an absurd moment.
 */
export function dailyBoundary(now: number, atHour: number, zone: string): number {
  return spanAround(now, atHour, zone).from;
}

/**
 * The first such moment after a moment: see {@link dailyBoundary}.
 *
 * @returns REAL seconds.
 * @throws As {@link dailyBoundary}.
 */
export function nextDailyBoundary(after: number, atHour: number, zone: string): number {
  return spanAround(after, atHour, zone).to;
}
