import type { Clock, Random, StateError } from "@hermes/state-core";
import type { SessionStoragePort } from "../port/session-storage-port.js";
import { Lanes } from "./lanes.js";
import { SessionQueue } from "./session-queue.js";
import type { SpoolFolder } from "./spool-folder.js";
import type {
  TranscriptBacklog,
  TranscriptCounters,
  TranscriptRoutes,
  TranscriptWarning,
} from "./transcript-options.js";
import type { Arrival, WaitingMessage } from "./waiting-message.js";

/** What a writer was given. */
export interface TranscriptParts {
  readonly port: SessionStoragePort;
  readonly spool: SpoolFolder;
  readonly routes: TranscriptRoutes;
  readonly clock: Clock;
  readonly random: Random;
  readonly onWarning: (warning: TranscriptWarning) => void;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A reroute that is forgotten costs one refused append; keeping each for ever would cost memory. */
const REMEMBERED_REROUTES = 10_000;

/** What the parts of a writer share: the queues, where sessions went on, and what is counted. */
export class TranscriptState {
  readonly parts: TranscriptParts;
  readonly lanes: Lanes = new Lanes();
  readonly counters: Mutable<TranscriptCounters> = {
    stored: 0,
    existing: 0,
    spooled: 0,
    claimed: 0,
    rerouted: 0,
    setAside: 0,
    failures: 0,
    spoolFailures: 0,
  };
  /** Why nothing is stored any more. */
  stopped: StateError | undefined;
  /** The writer is being closed, or was. */
  closing = false;
  /** Sessions of left-over messages that were not asked yet where they go on. */
  readonly unplaced: Set<string> = new Set();
  /** While they are asked. */
  placing: Promise<void> | undefined;
  readonly #queues = new Map<string, SessionQueue>();
  readonly #reroutes = new Map<string, string>();
  #seq = 0;
  #lastTs = 0;

  constructor(parts: TranscriptParts) {
    this.parts = parts;
  }

  /** The number of the message that came in last. */
  get lastSeq(): number {
    return this.#seq;
  }

  get queues(): readonly SessionQueue[] {
    return [...this.#queues.values()];
  }

  queueOf(sessionId: string): SessionQueue {
    const found = this.#queues.get(sessionId);
    if (found) return found;
    const queue = new SessionQueue(sessionId);
    this.#queues.set(sessionId, queue);
    return queue;
  }

  /** Whether nothing more is tried. */
  halted(): boolean {
    return this.closing || this.stopped !== undefined;
  }

  /** What waits for a session, without making a queue. */
  waitingFor(sessionId: string): readonly WaitingMessage[] {
    return this.#queues.get(sessionId)?.all ?? [];
  }

  /** Lets go of a queue with nothing in it. */
  forget(queue: SessionQueue): void {
    if (queue.head === undefined && this.#queues.get(queue.sessionId) === queue) this.#queues.delete(queue.sessionId);
  }

  /** The session that messages of a session go to, as far as this writer was told. */
  currentOf(sessionId: string): string {
    let current = sessionId;
    const seen = new Set([current]);
    for (;;) {
      const next = this.#reroutes.get(current);
      if (next === undefined || seen.has(next)) return current;
      seen.add(next);
      current = next;
    }
  }

  recordReroute(from: string, to: string): void {
    this.#reroutes.delete(to);
    this.#reroutes.set(from, to);
    this.counters.rerouted += 1;
    const [oldest] = this.#reroutes.keys();
    if (this.#reroutes.size > REMEMBERED_REROUTES && oldest !== undefined) this.#reroutes.delete(oldest);
  }

  /** The next place in the order; a clock that steps back does not change it. */
  arrive(): Arrival {
    this.#lastTs = Math.max(this.#lastTs, this.parts.clock.now());
    this.#seq += 1;
    return { ts: this.#lastTs, seq: this.#seq };
  }

  /** What comes in from now on comes behind that, also where a clock stood still. */
  arriveAfter({ ts, seq }: Arrival): void {
    this.#lastTs = Math.max(this.#lastTs, ts);
    this.#seq = Math.max(this.#seq, seq);
  }

  backlog(): TranscriptBacklog {
    let [sessions, queued, spooled] = [0, 0, 0];
    for (const { all, inMemory } of this.#queues.values()) {
      if (all.length > 0) sessions += 1;
      queued += inMemory.length;
      spooled += all.length - inMemory.length;
    }
    return { sessions, queued, spooled };
  }

  /** A listener that fails must not cost a message. */
  warn(warning: TranscriptWarning): void {
    try {
      this.parts.onWarning(warning);
    } catch {
      // There is nobody else to tell.
    }
  }
}
