/** What outlives conversations (CPT-03). */
export class PersistentState {
  /** Approvals by what they are for; taken back one by one at boundaries. */
  readonly approvals: Map<string, unknown> = new Map<string, unknown>();
  updatePromptPending = false;
  /** Pictures that wait for the text they belong to. */
  imagePaths: readonly string[] = [];
  /** Text that waits for the rest of it. */
  pendingText: string | null = null;
  hygieneFailureStreak = 0;
  #runGeneration = 0;

  /** Only grows: a lower number is not taken, so that no run can come back to life. */
  get runGeneration(): number {
    return this.#runGeneration;
  }

  set runGeneration(generation: number) {
    if (generation > this.#runGeneration) this.#runGeneration = generation;
  }
}
