/** Ctrl-C ended the command between two steps; exit code 130. */
export class Interrupted extends Error {
  readonly code = "STATE_E_ABORTED";

  constructor() {
    super("Interrupted. What is done stays done; run the command again.");
  }
}
