/** What a session key says. Which id is which is named only where the key leaves no other reading. */
export interface SessionKeyParts {
  /** Null for the main profile. */
  readonly profile: string | null;
  /** Lower case, as the fixed part of a key is written. */
  readonly platform: string;
  /** Lower case. */
  readonly chatType: string;
  /** Every id of the key in the key's order, byte-exact. */
  readonly ids: readonly string[];
  readonly scopeId?: string;
  readonly chatId?: string;
  readonly threadId?: string;
  readonly participantId?: string;
}
