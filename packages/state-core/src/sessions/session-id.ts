import type { Clock } from "../clock/clock.js";
import type { Random } from "../clock/random.js";

/** A new session id: the moment in UTC and eight random digits, `20260131_235959_1a2b3c4d`, as the peer makes them. */
export function newSessionId(clock: Clock, random: Random): string {
  const [date = "", time = ""] = new Date(clock.now() * 1000).toISOString().split("T");
  return `${date.replaceAll("-", "")}_${time.slice(0, 8).replaceAll(":", "")}_${random.hex(4)}`;
}
