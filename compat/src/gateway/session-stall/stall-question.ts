import { checkKnownOptions } from "@hermes/state-core";

/** What decides whether a peer is told that its session does not move. */
export interface StallQuestion {
  /** How long a session may be silent while somebody waits. Absent, zero or less: nobody is ever told. */
  readonly timeoutSeconds?: number | null;
  /** How long it has been silent; absent when nobody knows. */
  readonly idleSeconds?: number | null;
  /** Whether a message of the peer waits. */
  readonly hasPendingInbound?: boolean;
  /** Whether the peer was told of this stall. */
  readonly alreadyNotified?: boolean;
}

/**
 * Whether a message waits in a session that has been silent for too long.
 *
 * @throws TypeError for an unknown option.
 */
export function isStalled(what: string, question: StallQuestion, known: readonly (keyof StallQuestion)[]): boolean {
  checkKnownOptions(what, question, known);
  const { timeoutSeconds, idleSeconds, hasPendingInbound = false } = question;
  const timeout = timeoutSeconds ?? 0;
  // What is no number is not certain to be too long.
  return hasPendingInbound && timeout > 0 && (idleSeconds ?? NaN) >= timeout;
}
