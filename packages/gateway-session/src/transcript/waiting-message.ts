import type { IdentifiedMessage } from "./identify-message.js";
import type { SpooledHead, SpooledText } from "./spooled-message.js";
import type { TranscriptReceipt } from "./transcript-receipt.js";

/** Who waits for the receipt of a message. */
export interface Waiter {
  resolve(receipt: TranscriptReceipt): void;
  reject(error: unknown): void;
}

/** The place of a message in the order they came in. */
export interface Arrival {
  /** REAL seconds, never less than of the one before. */
  readonly ts: number;
  readonly seq: number;
}

/** A message on its way into the store: in memory, or in a file of the spool. */
export class WaitingMessage {
  readonly sessionKey: string | null;
  /** The session it was appended to; where it goes on is a matter of the queue it stands in. */
  readonly sessionId: string;
  readonly arrival: Arrival;
  readonly messageUid: string;
  /** True when it may be stored already. */
  tried: boolean;
  /** Whether it goes to disk with the first failure. */
  urgent = false;
  /** True while the storage is asked to take it; its queue then stays where it is. */
  busy = false;
  waiter: Waiter | undefined;
  #message: IdentifiedMessage | undefined;
  #file: string | undefined;
  #leftOver = false;

  private constructor(head: SpooledHead, tried: boolean) {
    this.sessionKey = head.sessionKey;
    this.sessionId = head.sessionId;
    this.arrival = head;
    this.messageUid = head.messageUid;
    this.tried = tried;
  }

  /** @param tried - The caller may have stored it before: it came with an identity of its own. */
  static fresh({ head, message }: SpooledText, tried: boolean): WaitingMessage {
    const waiting = new WaitingMessage(head, tried);
    waiting.#message = message;
    return waiting;
  }

  /** One that another process left behind; its text stays on disk. */
  static leftOver(head: SpooledHead, file: string): WaitingMessage {
    const waiting = new WaitingMessage(head, true);
    waiting.#leftOver = true;
    waiting.#file = file;
    return waiting;
  }

  /** Whether it came in behind the message of that number; what another process left behind was before them all. */
  isAfter(seq: number): boolean {
    return !this.#leftOver && this.arrival.seq > seq;
  }

  /** Undefined while the text is on disk only. */
  get message(): IdentifiedMessage | undefined {
    return this.#message;
  }

  get file(): string | undefined {
    return this.#file;
  }

  /** The message is on disk now, and not in memory any more. */
  spooledAs(file: string): void {
    this.#file = file;
    this.#message = undefined;
  }

  /** What its file says; undefined when it is in one already. */
  toSpool(): SpooledText | undefined {
    const { sessionKey, sessionId, messageUid, arrival } = this;
    const { ts, seq } = arrival;
    return this.#message && { head: { sessionKey, sessionId, ts, seq, messageUid }, message: this.#message };
  }

  resolve(receipt: TranscriptReceipt): void {
    this.waiter?.resolve(receipt);
    this.waiter = undefined;
  }

  reject(error: unknown): void {
    this.waiter?.reject(error);
    this.waiter = undefined;
  }
}

/** Who came in first. */
export function byArrival(a: WaitingMessage, b: WaitingMessage): number {
  return a.arrival.ts - b.arrival.ts || a.arrival.seq - b.arrival.seq;
}
