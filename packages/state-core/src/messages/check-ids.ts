/** @throws TypeError for what is no session id. */
export function checkSessionId(sessionId: unknown): void {
  if (typeof sessionId !== "string") throw new TypeError(`A session id must be a string, not ${typeof sessionId}.`);
}

/** @throws TypeError for what is no message id. */
export function checkMessageId(id: unknown): void {
  if (!Number.isSafeInteger(id)) throw new TypeError(`A message id must be a whole number, not ${String(id)}.`);
}
