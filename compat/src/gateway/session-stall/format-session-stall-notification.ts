function span(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/**
 * What a peer is told whose session does not move (CPT-03).
 *
 * @throws RangeError for what is no number of seconds.
 */
export function formatSessionStallNotification(idleSeconds: number): string {
  if (!Number.isFinite(idleSeconds) || idleSeconds < 0) {
    throw new RangeError(`formatSessionStallNotification: idleSeconds must not be ${String(idleSeconds)}.`);
  }
  return `This session has shown no activity for ${span(idleSeconds)}; your message is still waiting.`;
}
