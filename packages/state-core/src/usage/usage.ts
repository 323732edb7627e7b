import { checkText } from "../codec/check-text.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import { readonlyStore } from "../errors/write-errors.js";
import { sessionNotFound } from "../sessions/session-errors.js";
import type { StoreContext } from "../store/context.js";
import { applyEntry } from "./apply-entry.js";
import { usageEntry } from "./usage-entry.js";
import type { UsageEntry } from "./usage-entry.js";
import type { UsageQueue } from "./usage-queue.js";
import type { AuxiliaryUsage, UsageDelta, UsageTotals } from "./usage-record.js";
import { recentModelRoute, usageByModel, usageByTask } from "./usage-rows.js";
import type { ModelRoute, ModelUsage, TaskUsage } from "./usage-rows.js";

const FLUSH_MS = 5_000;

/** How queued usage stands. */
export interface UsageQueueState {
  /** Records that wait; neighbours of one session, task and route count once. */
  readonly waiting: number;
  /** Records of auxiliary work whose session was gone. */
  readonly dropped: number;
  /** What the last attempt to write failed with, in words; undefined when it succeeded. */
  readonly failure: string | undefined;
}

/**
 * Tokens and costs: the totals of each session, and the same by route and task. Records are written at once, or queued
 * and written a moment later, before anything shows or changes what they belong to (COR-04, COR-32).
 */
export class Usage {
  readonly #context: StoreContext;
  readonly #queue: UsageQueue | undefined;

  /** @param queue - Undefined where nothing can be written. */
  constructor(context: StoreContext, queue: UsageQueue | undefined) {
    this.#context = context;
    this.#queue = queue;
  }

  /**
   * Adds what was used since the last record. A session nobody made yet is made, with the source `unknown`.
   *
   * A route is filled in where the session has none; the first call that is accounted for replaces a planned route
   * that did not answer. Costs that nobody knows stay unknown.
   *
   * @example
   * ```ts
   * store.usage.record("s1", { inputTokens: 1200, outputTokens: 90, model: "m", billingProvider: "p" });
   * ```
   * @throws TypeError for an unknown key or a wrong type, RangeError for a number that cannot be.
   */
  record(sessionId: string, delta: UsageDelta): void {
    this.#apply(this.#entry("record", "delta", sessionId, delta));
  }

  /**
   * Sets what a session used in all; absent and null amounts keep what is stored. Usage by route is not touched.
   *
   * @throws As {@link Usage.record}.
   */
  setAbsolute(sessionId: string, totals: UsageTotals): void {
    this.#apply(this.#entry("setAbsolute", "absolute", sessionId, totals));
  }

  /**
   * Adds what work beside the conversation used. It is kept by task and by the route that is given: the session's own
   * totals and route stay out of it.
   *
   * @param task - Such as `background_review`.
   * @returns Whether anything was added; false when the id or the task is empty.
   * @throws As {@link Usage.record}; StateError `STATE_E_SESSION_NOT_FOUND`.
   */
  auxiliary(sessionId: string, task: string, delta: AuxiliaryUsage): boolean {
    if (sessionId === "" || task === "") return false;
    this.#apply(this.#entry("auxiliary", "auxiliary", sessionId, delta, task));
    return true;
  }

  /**
   * As {@link Usage.record}, a moment later and together with its neighbours; a failure to write never reaches the
   * caller. What waits is written before totals are shown and routes are changed, at close, and at the end of the
   * process.
   *
   * @param options - `task`: as {@link Usage.auxiliary}. `absolute`: as {@link Usage.setAbsolute}.
   * @throws As {@link Usage.record}; StateError `STATE_E_CLOSED`, `STATE_E_SHUTDOWN` and `STATE_E_READONLY` where
   * nobody would write it any more.
   */
  queue(
    sessionId: string,
    delta: UsageDelta,
    options: { readonly task?: string; readonly absolute?: boolean } = {},
  ): void {
    checkKnownOptions("usage.queue", options, ["task", "absolute"]);
    const { task = "", absolute = false } = options;
    if (task !== "" && absolute) throw new TypeError("usage.queue: pass a task or absolute, not both.");
    const kind = task !== "" ? "auxiliary" : absolute ? "absolute" : "delta";
    const entry = this.#entry("queue", kind, sessionId, delta, task);
    if (!this.#queue) throw readonlyStore(this.#context.path, "queue usage");
    this.#queue.add(entry);
  }

  /**
   * Writes what is queued, trying again while the file is busy.
   *
   * @param timeoutMs - Milliseconds; default 5,000. At least one attempt is made, which may wait half a second.
   * @returns Whether nothing waits any more.
   */
  flush(timeoutMs: number = FLUSH_MS): boolean {
    if (typeof timeoutMs !== "number" || !(timeoutMs >= 0)) {
      throw new RangeError(`usage.flush: timeoutMs must be 0 or more, not ${String(timeoutMs)}.`);
    }
    return this.#queue?.drain(timeoutMs) ?? true;
  }

  /** How many records wait, and whether writing them fails. */
  queueState(): UsageQueueState {
    const { length: waiting = 0, dropped = 0, failure } = this.#queue ?? {};
    return { waiting, dropped, failure: failure instanceof Error ? failure.message : undefined };
  }

  /** What a session used, by route and task, the main loop first. Costs that nobody knew count as nothing here. */
  byModel(sessionId: string): readonly ModelUsage[] {
    this.#context.settleUsage("read");
    return this.#context.read((r) => usageByModel(r, sessionId));
  }

  /** What a session used, by task over all routes; the main loop, which is first, is the empty task. */
  byTask(sessionId: string): readonly TaskUsage[] {
    this.#context.settleUsage("read");
    return this.#context.read((r) => usageByTask(r, sessionId));
  }

  /** The route of a session's main loop that answered last; undefined when none has. */
  recentModelRoute(sessionId: string): ModelRoute | undefined {
    this.#context.settleUsage("read");
    return this.#context.read((r) => recentModelRoute(r, sessionId));
  }

  #entry(method: string, kind: UsageEntry["kind"], sessionId: string, usage: UsageDelta, task?: string): UsageEntry {
    checkText(`usage.${method}: the session id`, sessionId);
    if (task !== undefined && typeof task !== "string") throw new TypeError(`usage.${method}: task must be a string.`);
    return usageEntry(`usage.${method}`, kind, sessionId, usage, task);
  }

  #apply(entry: UsageEntry): void {
    const { path, clock } = this.#context;
    // What was queued came first.
    this.#context.settleUsage("write");
    const known = this.#context.write("record usage", (w) => applyEntry(w, entry, { path, now: clock.now() }));
    if (!known) throw sessionNotFound(entry.sessionId);
  }
}
