import { checkKnownOptions, isStateError } from "@hermes/state-core";
import type {
  ConversationOptions,
  NewMessage,
  ReplacedTranscript,
  ReplaceMode,
  RewindReceipt,
  StateError,
} from "@hermes/state-core";
import { checkMessage } from "./check-message.js";
import { drainQueue } from "./drain-queue.js";
import { identifyMessage } from "./identify-message.js";
import { Lanes } from "./lanes.js";
import type { SessionQueue } from "./session-queue.js";
import { settleWaiting, spoolWaiting, textOf } from "./spool-waiting.js";
import { backlogLeft, keyNotRouted, writerClosed } from "./transcript-errors.js";
import { QUEUE_BOUND } from "./transcript-options.js";
import type {
  TranscriptAppendOptions,
  TranscriptBacklog,
  TranscriptCounters,
  TranscriptTarget,
} from "./transcript-options.js";
import type { LoadedTranscript, TranscriptReceipt } from "./transcript-receipt.js";
import { traceStep } from "./trace-step.js";
import { TranscriptState } from "./transcript-state.js";
import type { TranscriptParts } from "./transcript-state.js";
import { byArrival, WaitingMessage } from "./waiting-message.js";

const APPEND_OPTIONS: readonly (keyof TranscriptAppendOptions)[] = ["alreadyStored", "source"];
const SKIPPED: TranscriptReceipt = { state: "skipped", durable: false };
/** A conversation may be rotated while it is looked for. */
const MOST_ROUNDS = 3;

/**
 * Stores the messages of a gateway: per session first in first out, each once, whatever the store is doing. What the
 * store does not take is retried with the next message and kept on disk when that goes on; sessions that a compaction
 * closed are followed to their tip. A message is acknowledged when its receipt says that it is durable (GWS-05).
 */
export class TranscriptWriter implements AsyncDisposable {
  readonly #state: TranscriptState;
  /** Keys are asked for one after the other, so that messages stay in the order they were given. */
  readonly #keys = new Lanes();

  constructor(parts: TranscriptParts) {
    this.#state = new TranscriptState(parts);
    this.#claim();
  }

  /** Why nothing is stored any more: the store was replaced or is damaged. Open it again, and a new writer on it. */
  get stopped(): StateError | undefined {
    return this.#state.stopped;
  }

  counters(): TranscriptCounters {
    return { ...this.#state.counters };
  }

  backlog(): TranscriptBacklog {
    return this.#state.backlog();
  }

  /**
   * Appends one message behind all earlier ones of its session.
   *
   * @returns What became of it. Only a `durable` one is acknowledged.
   * @throws TypeError, or what the store says to a message it will never take: it was set aside on disk. StateError
   * `STATE_E_NO_LIVE_CONTINUATION`, likewise. `STATE_E_SPOOL_FAILED` when the queue is full and the disk is too: the
   * message was not taken. `STATE_E_CLOSED`.
   */
  async append(
    target: TranscriptTarget,
    message: NewMessage,
    options: TranscriptAppendOptions = {},
  ): Promise<TranscriptReceipt> {
    checkKnownOptions("transcript.append", options, APPEND_OPTIONS);
    if (options.alreadyStored) return SKIPPED;
    checkMessage(message);
    this.#checkOpen("append a message");
    const { clock, random } = this.#state.parts;
    const identified = identifyMessage(message, options.source, clock.now(), random);
    const arrival = this.#state.arrive();
    const sessionId = await this.#sessionOf(target);
    this.#checkOpen("append a message");
    const spooled = { sessionKey: target.sessionKey ?? null, sessionId, ...arrival, message: identified };
    return this.#accept(WaitingMessage.fresh(spooled, Boolean(message.messageUid)));
  }

  /**
   * What the model sees of a conversation, from the session it goes on in.
   *
   * @throws what the storage throws: an unreadable conversation is never an empty one.
   */
  load(target: TranscriptTarget, options: ConversationOptions = {}): Promise<LoadedTranscript> {
    return this.#behind("load a conversation", target, async (sessionId, waiting) => {
      const transcript = await this.#state.parts.port.conversation(sessionId, options);
      const unstored = waiting().map((each) => textOf(this.#state, each));
      return { ...transcript, unstored: unstored.filter((message) => message !== undefined) };
    });
  }

  /**
   * Puts a list in the place of a conversation's messages. Whatever waits is stored first, so nothing of it comes back
   * later; when it cannot be, or this fails, everything stays as it was.
   *
   * @throws StateError `STATE_E_TRANSCRIPT_BACKLOG`, and as the storage throws.
   */
  rewrite(target: TranscriptTarget, messages: readonly NewMessage[], mode: ReplaceMode): Promise<ReplacedTranscript> {
    const { port, clock, random } = this.#state.parts;
    messages.forEach(checkMessage);
    const identified = messages.map((message) => identifyMessage(message, undefined, clock.now(), random));
    return this.#changing("rewrite a conversation", target, (id) => port.replace(id, identified, mode));
  }

  /**
   * Takes the last turns of the user back; of more than there are, all. Nothing is deleted.
   *
   * @returns Null when the user said nothing yet.
   * @throws StateError `STATE_E_TRANSCRIPT_BACKLOG`, and as the storage throws.
   */
  rewind(target: TranscriptTarget, turns = 1): Promise<RewindReceipt | null> {
    const { port } = this.#state.parts;
    return this.#changing("rewind a conversation", target, (id) => port.rewind(id, turns));
  }

  /**
   * Tries to store everything that waits. For a housekeeping tick: nothing here runs by itself.
   *
   * @throws StateError `STATE_E_WRITER_STOPPED`.
   */
  async flush(): Promise<TranscriptBacklog> {
    this.#checkOpen("flush the transcripts");
    await Promise.all(this.#state.queues.map((queue) => this.#turn(queue, true)));
    if (this.#state.stopped) throw this.#state.stopped;
    return this.backlog();
  }

  /**
   * Takes over what other writers left behind since, then stores everything that waits. Call it at start; new messages
   * of a session wait for its left-over ones in any case.
   *
   * @throws StateError `STATE_E_WRITER_STOPPED`, `STATE_E_SPOOL_FAILED` when the spool cannot be read.
   */
  async replay(): Promise<TranscriptBacklog> {
    this.#checkOpen("replay spooled messages");
    this.#claim();
    return this.flush();
  }

  /**
   * Waits for what is being stored and puts the rest on disk, for the next writer. No further try is made: the end of a
   * gateway must not wait for a store that did not answer.
   *
   * @throws StateError `STATE_E_SPOOL_FAILED`; the rest is in memory, the writer is open, and may be closed again.
   */
  async close(): Promise<void> {
    const state = this.#state;
    state.closing = true;
    await state.lanes.idle();
    const { queues, parts } = state;
    const problem = spoolWaiting(state, queues.flatMap(({ inMemory }) => inMemory).sort(byArrival));
    for (const queue of queues) settleWaiting(queue, problem ?? queue.problem ?? writerClosed("store a message"));
    if (problem) {
      state.closing = false;
      throw problem;
    }
    parts.spool.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * The router has found that a conversation goes on in another session: what waits for the first goes there. Never
   * waits and never throws.
   */
  moved(from: string, to: string): void {
    const state = this.#state;
    const known = (): boolean => from === to || state.currentOf(from) === state.currentOf(to);
    if (known()) return;
    void state.lanes.run(from, () => {
      if (!known()) {
        state.queueOf(from).moveBefore(state.queueOf(to));
        state.recordReroute(from, to);
        state.forget(state.queueOf(from));
        void this.#turn(state.queueOf(to), false);
      }
      return Promise.resolve();
    });
  }

  #checkOpen(doing: string): void {
    if (this.#state.closing) throw writerClosed(doing);
  }

  async #sessionOf({ sessionId, sessionKey }: TranscriptTarget): Promise<string> {
    if (typeof sessionId === "string" && sessionId !== "") return sessionId;
    const { routes } = this.#state.parts;
    if (sessionId !== undefined || typeof sessionKey !== "string" || !routes.sessionOf) {
      throw new TypeError("transcript: the target must name a sessionId, or a sessionKey that routes.sessionOf knows.");
    }
    const routed = await this.#keys.run(sessionKey, async () => routes.sessionOf?.(sessionKey));
    if (routed === undefined) throw keyNotRouted(sessionKey);
    return routed;
  }

  /** Makes room first: beyond the bound the oldest message goes to disk, and nothing is dropped. */
  #accept(waiting: WaitingMessage): Promise<TranscriptReceipt> {
    const state = this.#state;
    const queue = state.queueOf(state.currentOf(waiting.sessionId));
    const { inMemory } = queue;
    const problem = inMemory.length < QUEUE_BOUND ? undefined : spoolWaiting(state, inMemory.slice(0, 1));
    if (problem) throw problem;
    return new Promise((resolve, reject) => {
      waiting.waiter = { resolve, reject };
      queue.push(waiting);
      traceStep("accepted", waiting.messageUid);
      void this.#turn(queue, false);
    });
  }

  /** Asks for the drainer of a session; one at a time works, and one at most waits. */
  #turn(queue: SessionQueue, forced: boolean): Promise<void> {
    const state = this.#state;
    queue.forced ||= forced;
    queue.turn ??= state.lanes
      .run(queue.sessionId, () => {
        const wanted = queue.forced;
        queue.turn = undefined;
        queue.forced = false;
        return drainQueue(state, queue, wanted);
      })
      .then((next) => (next === undefined ? undefined : this.#turn(state.queueOf(next), true)));
    return queue.turn;
  }

  /** Runs work on the tip of a conversation, in its lane, after whatever waits for it was tried. */
  async #behind<T>(
    doing: string,
    target: TranscriptTarget,
    work: (sessionId: string, waiting: () => readonly WaitingMessage[]) => Promise<T>,
  ): Promise<T> {
    this.#checkOpen(doing);
    const state = this.#state;
    let sessionId = await this.#sessionOf(target);
    for (let round = 1; ; round++) {
      sessionId = state.currentOf(sessionId);
      if (state.waitingFor(sessionId).length > 0) await this.#turn(state.queueOf(sessionId), true);
      sessionId = state.currentOf(sessionId);
      if (state.stopped) throw state.stopped;
      const standing = await state.parts.port.standing(sessionId);
      const tip = standing.state === "closed" ? standing.tip : sessionId;
      const segments = [...new Set([sessionId, tip])];
      try {
        const done = await state.lanes.run(tip, async () => {
          if ((await drainQueue(state, state.queueOf(tip), true)) !== undefined) return undefined;
          if (state.stopped) throw state.stopped;
          return { value: await work(tip, () => segments.flatMap((id) => state.waitingFor(id))) };
        });
        if (done) return done.value;
      } catch (error) {
        if (round === MOST_ROUNDS || !isStateError(error, "STATE_E_COMPRESSION_CLOSED")) throw error;
      }
    }
  }

  #changing<T>(doing: string, target: TranscriptTarget, change: (sessionId: string) => Promise<T>): Promise<T> {
    return this.#behind(doing, target, (sessionId, waiting) => {
      const [first, ...others] = waiting();
      if (first === undefined) return change(sessionId);
      throw backlogLeft(sessionId, 1 + others.length, this.#state.queueOf(sessionId).problem);
    });
  }

  #claim(): void {
    const state = this.#state;
    const { claimed, setAside } = state.parts.spool.claim();
    for (const { file, spooled } of claimed) {
      state.arriveAfter(spooled.ts);
      state.queueOf(state.currentOf(spooled.sessionId)).insert([WaitingMessage.leftOver(spooled, file)]);
      state.unplaced.add(spooled.sessionId);
    }
    state.counters.claimed += claimed.length;
    state.counters.setAside += setAside.length;
    for (const error of setAside) {
      state.warn({ level: "error", what: "set_aside", sessionId: undefined, sessionKey: null, failures: 0, error });
    }
  }
}
