import type { ResetPolicy } from "./reset-policy.js";

/**
 * Tells since when the work runs that a peer has in the background.
 *
 * @param sessionKey - The routing key of the peer, not the id of a session.
 * @returns One start in REAL seconds for each piece of work that still runs.
 */
export type BackgroundProbe = (sessionKey: string) => readonly number[] | Promise<readonly number[]>;

type Bound = Pick<ResetPolicy, "backgroundMaxAgeHours">;

/** Whether any of the running work, given by its starts in REAL seconds, is young enough to keep a conversation. */
export function keepsConversation(starts: readonly number[], policy: Bound, now: number): boolean {
  return starts.some((start) => !(now - start > policy.backgroundMaxAgeHours * 3600));
}

/**
 * Whether a peer has work in the background that keeps its conversation. A probe that fails, or answers what it should
 * not, counts as active: a conversation is rather kept than lost.
 *
 * @param now - REAL seconds.
 * @param onError - Told why the probe failed.
 */
export async function backgroundActive(
  probe: BackgroundProbe | undefined,
  sessionKey: string,
  policy: Bound,
  now: number,
  onError?: (error: unknown) => void,
): Promise<boolean> {
  if (probe === undefined) return false;
  try {
    return keepsConversation(await probe(sessionKey), policy, now);
  } catch (error) {
    onError?.(error);
    return true;
  }
}
