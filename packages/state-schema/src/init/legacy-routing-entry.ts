/** What the routing file of an old gateway knows about a session. */
export interface LegacyRoutingEntry {
  readonly sessionId: string;
  readonly sessionKey?: string | undefined;
  readonly chatId?: string | undefined;
  readonly chatType?: string | undefined;
  readonly threadId?: string | undefined;
  readonly displayName?: string | undefined;
  /** JSON object text. */
  readonly originJson?: string | undefined;
  readonly expiryFinalized?: boolean | undefined;
}
