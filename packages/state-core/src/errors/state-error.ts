const BRAND = Symbol.for("hermes.state.StateError");

/** Literal code of a {@link StateError}; tests and callers match it, never the text. */
export type StateErrorCode = `STATE_E_${string}`;

/** Plain facts about an error: what a script needs to decide what to do next. */
export type ErrorFacts = Readonly<Record<string, unknown>>;

/**
 * The one error class of the stack. The message says what happened, names the value and ends with the next action
 * (GND-04).
 *
 * @example
 * ```ts
 * try {
 *   store.sessions.get("nope");
 * } catch (error) {
 *   if (isStateError(error, "STATE_E_SESSION_NOT_FOUND")) console.log(error.facts);
 * }
 * ```
 */
export class StateError extends Error {
  override readonly name: string = "StateError";
  readonly code: StateErrorCode;
  readonly facts: ErrorFacts;

  constructor(code: StateErrorCode, message: string, facts: ErrorFacts = {}, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.facts = facts;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Code, message and facts, without stack or cause. */
  toJSON(): { code: StateErrorCode; message: string } & Record<string, unknown> {
    return { ...this.facts, code: this.code, message: this.message };
  }
}

/**
 * Recognises a {@link StateError} of any copy of this package.
 *
 * @param error - Anything that was thrown.
 * @param code - When given, the code it must carry.
 */
export function isStateError(error: unknown, code?: StateErrorCode): error is StateError {
  if (typeof error !== "object" || error === null || !(BRAND in error)) return false;
  return code === undefined || (error as unknown as StateError).code === code;
}
