/** What an append did. */
export interface MessageReceipt {
  readonly id: number;
  readonly sessionId: string;
  /** REAL seconds since the epoch, as stored. */
  readonly timestampSeconds: number | undefined;
  /** True when the message was there already, by its id; this names that row, and nothing was stored. */
  readonly existing: boolean;
}
