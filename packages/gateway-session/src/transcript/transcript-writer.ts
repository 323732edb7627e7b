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

const APPEND_OPTIONS: readonly (keyof TranscriptAppendOptions)[] = ["alreadyStored", "source", "durable"];
const SKIPPED: TranscriptReceipt = { state: "skipped", durable: false };
/** A conversation may be rotated while it is looked for. */
const MOST_ROUNDS = 3;

/** What is done to a conversation, given what of it could not be stored so far. */
type Work<T> = (sessionId: string, left: () => readonly WaitingMessage[]) => Promise<T>;

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

  /** What was done so far. */
  counters(): TranscriptCounters {
    return { ...this.#state.counters };
  }

  /** What waits, in memory and on disk. */
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
    const routed = this.#sessionOf(target);
    const sessionId = typeof routed === "string" ? routed : await routed;
    this.#checkOpen("append a message");
    const { messageUid } = identified;
    const head = { sessionKey: target.sessionKey ?? null, sessionId, ...arrival, messageUid };
    const waiting = WaitingMessage.fresh({ head, message: identified }, Boolean(message.messageUid));
    waiting.urgent = options.durable === true;
    return this.#accept(waiting);
  }

  /**
   * What the model sees of a conversation, from the session it goes on in.
   *
   * @throws what the storage throws: an unreadable conversation is never an empty one.
   */
  load(target: TranscriptTarget, options: ConversationOptions = {}): Promise<LoadedTranscript> {
    return this.#behind("load a conversation", target, async (sessionId, left) => {
      const transcript = await this.#state.parts.port.conversation(sessionId, options);
      const unstored = left().map((each) => textOf(this.#state, each));
      return { ...transcript, unstored: unstored.filter((message) => message !== undefined) };
    });
  }

  /**
   * Puts a list in the place of a conversation's messages. Whatever waits is stored first, so nothing of it comes back
   * later; when it cannot be, or this fails, everything stays as it was.
   *
   * @throws StateError `STATE_E_TRANSCRIPT_BACKLOG`, and as the storage throws.
   */
  async rewrite(
    target: TranscriptTarget,
    messages: readonly NewMessage[],
    mode: ReplaceMode,
  ): Promise<ReplacedTranscript> {
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
    const heads = this.#state.queues.flatMap(({ head, sessionId }) => (head ? [{ head, sessionId }] : []));
    // One by one, the oldest first: two of them may turn out to be one conversation.
    for (const { sessionId } of heads.sort((a, b) => byArrival(a.head, b.head))) {
      await this.#turn(sessionId, Infinity, () => true);
    }
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
   * The router has found that a conversation goes on in another session: what waits for the first goes there. Said
   * before the first message that names the second, it keeps the order of both. Never waits and never throws.
   */
  moved(from: string, to: string): void {
    const state = this.#state;
    const move = (): void => {
      const queue = state.queueOf(state.currentOf(from));
      if (queue.sessionId !== state.currentOf(to)) {
        queue.mergeInto(state.queueOf(to));
        state.recordReroute(queue.sessionId, to);
      }
      state.forget(queue);
      void this.#turn(to, Infinity, () => state.waitingFor(to).some(({ waiter }) => waiter !== undefined));
    };
    // A message that is on its way into the first session finds the way by itself; what is behind it follows.
    if (!state.waitingFor(state.currentOf(from))[0]?.busy) move();
    else {
      void state.lanes.run(from, () => {
        move();
        return Promise.resolve();
      });
    }
  }

  #checkOpen(doing: string): void {
    if (this.#state.closing) throw writerClosed(doing);
  }

  /** At once where the session is named, so that calls take their places in the order they were made. */
  #sessionOf({ sessionId, sessionKey }: TranscriptTarget): string | Promise<string> {
    if (typeof sessionId === "string" && sessionId !== "") return sessionId;
    const { routes } = this.#state.parts;
    if (sessionId !== undefined || typeof sessionKey !== "string" || !routes.sessionOf) {
      throw new TypeError("transcript: the target must name a sessionId, or a sessionKey that routes.sessionOf knows.");
    }
    return this.#keys.run(sessionKey, async () => {
      const routed = await routes.sessionOf?.(sessionKey);
      if (routed === undefined) throw keyNotRouted(sessionKey);
      return routed;
    });
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
      void this.#turn(queue.sessionId, waiting.arrival.seq, () => waiting.waiter !== undefined);
    });
  }

  /** Has a session drained when its lane is free, up to a message, if that is still wanted then. */
  async #turn(sessionId: string, upTo: number, wanted: () => boolean): Promise<void> {
    const state = this.#state;
    const next = await state.lanes.run(sessionId, async () => {
      return wanted() ? drainQueue(state, state.queueOf(sessionId), upTo) : undefined;
    });
    if (next !== undefined) await this.#turn(next, upTo, wanted);
  }

  /** Runs work on the tip of a conversation, behind what was appended before and in front of what comes later. */
  async #behind<T>(doing: string, target: TranscriptTarget, work: Work<T>): Promise<T> {
    this.#checkOpen(doing);
    const upTo = this.#state.lastSeq;
    const routed = this.#sessionOf(target);
    return this.#inOrder(typeof routed === "string" ? routed : await routed, upTo, work, []);
  }

  /** @param held - Sessions whose lanes are held: later messages for them wait. */
  #inOrder<T>(sessionId: string, upTo: number, work: Work<T>, held: readonly string[]): Promise<T> {
    const state = this.#state;
    const id = state.currentOf(sessionId);
    const lanes = [...held, id];
    const left = (): WaitingMessage[] => {
      return [...new Set(lanes)].flatMap((each) => state.waitingFor(each)).filter((each) => !each.isAfter(upTo));
    };
    const inLane = async (): Promise<T> => {
      const moved = await drainQueue(state, state.queueOf(id), upTo);
      if (state.stopped) throw state.stopped;
      const tip = moved ?? (await this.#tipOf(id));
      if (tip !== id) return this.#inOrder(tip, upTo, work, lanes);
      try {
        return await work(id, left);
      } catch (error) {
        if (lanes.length > MOST_ROUNDS || !isStateError(error, "STATE_E_COMPRESSION_CLOSED")) throw error;
        return this.#inOrder(await this.#tipOf(id), upTo, work, lanes);
      }
    };
    return held.includes(id) ? inLane() : state.lanes.run(id, inLane);
  }

  async #tipOf(sessionId: string): Promise<string> {
    const { state, tip } = await this.#state.parts.port.standing(sessionId);
    return state === "closed" ? tip : sessionId;
  }

  #changing<T>(doing: string, target: TranscriptTarget, change: (sessionId: string) => Promise<T>): Promise<T> {
    return this.#behind(doing, target, (sessionId, left) => {
      const [first, ...others] = left();
      if (first === undefined) return change(sessionId);
      throw backlogLeft(sessionId, 1 + others.length, this.#state.queueOf(sessionId).problem);
    });
  }

  #claim(): void {
    const state = this.#state;
    const { claimed, setAside } = state.parts.spool.claim();
    for (const { file, head } of claimed) {
      state.arriveAfter(head);
      state.queueOf(state.currentOf(head.sessionId)).insert(WaitingMessage.leftOver(head, file));
      state.unplaced.add(head.sessionId);
    }
    state.counters.claimed += claimed.length;
    state.counters.setAside += setAside.length;
    for (const error of setAside) {
      state.warn({ level: "error", what: "set_aside", sessionId: undefined, sessionKey: null, failures: 0, error });
    }
  }
}
