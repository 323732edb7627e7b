/** A message beside a hit, in its session. */
export interface ContextMessage {
  readonly id: number;
  readonly role: string;
  /** The first 200 characters of its text. */
  readonly text: string;
}

/** One message that answers a query. */
export interface SearchHit {
  readonly id: number;
  readonly sessionId: string;
  readonly role: string;
  /** A stretch of the text around the first match, with the matches between `>>>` and `<<<`. */
  readonly snippet: string;
  /** When it was said, REAL seconds since the epoch; undefined where the file holds no moment. */
  readonly timestampSeconds: number | undefined;
  readonly toolName: string | null;
  /** Null when the session's row is gone. */
  readonly source: string | null;
  readonly model: string | null;
  readonly sessionStartedAtSeconds: number | undefined;
  /** The message before, the hit and the message after, as far as there are any. */
  readonly context: readonly ContextMessage[];
}

/** Name of a field of a hit. */
export type HitField = keyof SearchHit;

/** The fields of a hit, in their order. */
export const HIT_FIELDS: readonly HitField[] = [
  "id",
  "sessionId",
  "role",
  "snippet",
  "timestampSeconds",
  "toolName",
  "source",
  "model",
  "sessionStartedAtSeconds",
  "context",
];
