import type { SessionRow } from "../session-row.js";

/** One line of a listing. A compacted conversation shows its tip, with the start of its first segment. */
export interface SessionSummary extends SessionRow {
  /** The beginning of the first thing the user said, 60 characters at most. */
  readonly preview: string;
  /** Later of the heartbeat and the newest message, else the start; undefined when no moment can be read. */
  readonly lastActiveSeconds: number | undefined;
  /** Active since it was last read; a session nobody tracks counts as read. */
  readonly unread: boolean;
  /** First segment of the conversation, when the line shows a later one. */
  readonly lineageRootId: string | undefined;
  /** All segments, root to tip. */
  readonly lineageIds: readonly string[];
}

/** One page of a listing. */
export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  /** Pass it to read on; undefined on the last page. */
  readonly nextCursor: string | undefined;
}
