import type { Reader } from "@hermes/state-schema";
import { checkChoice } from "../codec/check-choice.js";
import { checkText } from "../codec/check-text.js";
import { checkSeconds } from "../codec/seconds.js";
import type { NewMessage } from "../messages/new-message.js";
import { sessionNotFound } from "../sessions/session-errors.js";
import type { StoreContext } from "../store/context.js";
import { activeWatermark, newestMessageId } from "./active-rows.js";
import { archiveInPlace } from "./archive-in-place.js";
import type { ArchiveReceipt } from "./archive-in-place.js";
import { checkHealth } from "./check-health.js";
import { COMPACTION_COUNTERS } from "./compaction-health.js";
import type { CompactionCounter, CompactionHealth } from "./compaction-health.js";
import type { ArchiveOptions, RotateOptions, RotationChild } from "./compaction-options.js";
import { bumpCounter, clearFailure, mergeFailure, readHealth, restoreHealth, writeHealth } from "./health-rows.js";
import { planArchive } from "./plan-archive.js";
import { planRotation } from "./plan-rotation.js";
import { rotateSession } from "./rotate-session.js";
import type { RotateReceipt } from "./rotate-session.js";

const SESSION_EXISTS = "SELECT 1 AS known FROM sessions WHERE id = ?";

/** A failed compaction, and when the next one may be tried. */
export interface CompactionFailure {
  /** REAL seconds since the epoch. */
  readonly untilSeconds: number;
  readonly failure: string;
}

/**
 * Compactions: a summary takes the place of what it speaks of, in the same session or in the next one. Whatever fails,
 * the conversation is as it was; whatever others append meanwhile stays live (COR-24).
 */
export class Compaction {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /**
   * The newest message the model sees of a session, 0 when there is none. Read it from here when a summary is begun:
   * what the summary does not know must not be archived.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  watermark(sessionId: string): number {
    return this.#bound(sessionId, activeWatermark);
  }

  /**
   * The newest message of a session, 0 when there is none. Read it just before a rotator stores its own transcript.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  ceiling(sessionId: string): number {
    return this.#bound(sessionId, newestMessageId);
  }

  /**
   * Compacts in place: the live messages up to the watermark become compacted ones, `messages` take their place, and
   * what came in meanwhile follows.
   *
   * @example
   * ```ts
   * const watermark = store.compaction.watermark("s1");
   * const summary = { role: "user", content: "what happened so far", compressedSummary: true };
   * store.compaction.archive("s1", [summary], { watermark });
   * ```
   * @param messages - At least one; they are what the model sees first from now on.
   * @throws TypeError or RangeError for an impossible option. StateError `STATE_E_COMPRESSION_BUSY` when the lease is
   * lost, `STATE_E_SESSION_NOT_FOUND`, `STATE_E_COMPRESSION_CLOSED`, `STATE_E_BAD_TIMESTAMP`.
   */
  archive(sessionId: string, messages: readonly NewMessage[], options: ArchiveOptions): ArchiveReceipt {
    const { clock } = this.#context;
    const plan = planArchive(sessionId, messages, options, clock.now());
    return this.#context.write("compact a session", (w) => archiveInPlace(w, plan, clock.now()), "transcript");
  }

  /**
   * Rotates: makes the next segment of a conversation, with `messages` and what came in meanwhile, and closes this one.
   * The child has the parent's config, flags, place and origin.
   *
   * @param child - What differs from the parent; `{}` for nothing.
   * @throws TypeError or RangeError for an impossible option. StateError `STATE_E_COMPRESSION_BUSY` when the lease is
   * lost, `STATE_E_SESSION_NOT_FOUND`, `STATE_E_SESSION_ENDED`, `STATE_E_COMPRESSION_CLOSED` with the tip,
   * `STATE_E_SESSION_EXISTS`, `STATE_E_CONTINUATION_HIDDEN`, `STATE_E_TITLE_TAKEN`, `STATE_E_TITLE_TOO_LONG`,
   * `STATE_E_BAD_TIMESTAMP`.
   */
  rotate(parentId: string, child: RotationChild, options: RotateOptions): RotateReceipt {
    const { clock } = this.#context;
    const plan = planRotation(this.#context, parentId, child, options);
    return this.#context.write("rotate a session", (w) => rotateSession(w, plan, clock.now()), "transcript");
  }

  /**
   * How compactions of a session went lately.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  health(sessionId: string): CompactionHealth {
    return this.#context.read((r) => readHealth(r, sessionId));
  }

  /**
   * The failure that forbids the next compaction for now; undefined when none does.
   *
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  cooldown(sessionId: string): CompactionFailure | undefined {
    const { cooldownUntilSeconds, failure } = this.health(sessionId);
    if (cooldownUntilSeconds === null || cooldownUntilSeconds <= this.#context.clock.now()) return undefined;
    return { untilSeconds: cooldownUntilSeconds, failure: failure ?? "" };
  }

  /**
   * Records a failed compaction; of two deadlines the later one stands.
   *
   * @returns The deadline that stands, in REAL seconds.
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_BAD_TIMESTAMP`.
   */
  recordFailure(sessionId: string, { untilSeconds, failure }: CompactionFailure): number {
    checkSeconds("compaction.recordFailure: untilSeconds", untilSeconds);
    checkText("compaction.recordFailure: failure", failure);
    return this.#context.write("record a failure", (w) => mergeFailure(w, sessionId, untilSeconds, failure));
  }

  /**
   * Forgets the recorded failure.
   *
   * @returns Whether there was one; an unknown id is no error.
   */
  clearFailure(sessionId: string): boolean {
    return this.#context.write("clear a failure", (w) => clearFailure(w, sessionId));
  }

  /**
   * Sets some fields of a session's health.
   *
   * @throws TypeError for an unknown field or a wrong type. StateError `STATE_E_SESSION_NOT_FOUND`,
   * `STATE_E_BAD_TIMESTAMP`.
   */
  updateHealth(sessionId: string, patch: Partial<CompactionHealth>): void {
    checkHealth("compaction.updateHealth", patch);
    this.#context.write("update compaction health", (w) => {
      writeHealth(w, sessionId, patch);
    });
  }

  /**
   * Raises a counter by one.
   *
   * @returns Its new value; of two processes that raise it at once, each gets its own.
   * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  increment(sessionId: string, counter: CompactionCounter): number {
    checkChoice("compaction.increment: counter", counter, COMPACTION_COUNTERS);
    return this.#context.write("count a compaction", (w) => bumpCounter(w, sessionId, counter));
  }

  /**
   * Writes back what {@link Compaction.health} gave, or some of its fields, and reads them again.
   *
   * @throws TypeError for an unknown field or a wrong type. StateError `STATE_E_SESSION_NOT_FOUND`,
   * `STATE_E_HEALTH_NOT_RESTORED`; nothing is changed then.
   */
  restoreHealth(sessionId: string, health: Partial<CompactionHealth>): void {
    checkHealth("compaction.restoreHealth", health);
    this.#context.write("restore compaction health", (w) => {
      restoreHealth(w, sessionId, health);
    });
  }

  #bound(sessionId: string, find: (r: Reader, sessionId: string) => number): number {
    checkText("compaction: the session id", sessionId);
    return this.#context.read((r) => {
      if (!r.get(SESSION_EXISTS, [sessionId])) throw sessionNotFound(sessionId);
      return find(r, sessionId);
    });
  }
}
