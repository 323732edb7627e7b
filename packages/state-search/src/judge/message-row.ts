import type { SqlValue } from "@hermes/state-schema";

/** The cells of a message that say something. */
export interface TextCells {
  readonly role: SqlValue;
  readonly content: SqlValue;
  readonly toolName: SqlValue;
  readonly toolCalls: SqlValue;
}
