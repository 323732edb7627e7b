import { routeContested } from "./router-errors.js";

/** Somebody else may move a route again and again; this often we follow. */
const ATTEMPTS = 8;

/**
 * Tries a change of a route until no other process moves the route meanwhile.
 *
 * @param attempt - Looks at the route anew; undefined when another process was faster.
 * @throws StateError `STATE_E_ROUTE_CONTESTED` when one is faster each time.
 */
export async function untilUncontested<T>(
  sessionKey: string,
  attempt: () => Promise<{ readonly outcome: T } | undefined>,
): Promise<T> {
  for (let attempts = 0; attempts < ATTEMPTS; attempts++) {
    const done = await attempt();
    if (done) return done.outcome;
  }
  throw routeContested(sessionKey);
}
