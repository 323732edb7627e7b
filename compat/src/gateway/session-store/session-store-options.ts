import type { RouterOptions, TranscriptWarning } from "@hermes/gateway-session";

/** Where an old session store lies now, and how its routes work. */
export interface SessionStoreOptions extends Omit<RouterOptions, "scope" | "onMoved"> {
  /** Path of the database. Default: `state.db` beside the sessions folder, else the default database. */
  readonly path?: string;
  /** The sessions folder: the scope of its routes. Default: `sessions` beside the database. */
  readonly sessionsDir?: string;
  readonly onTranscriptWarning?: (warning: TranscriptWarning) => void;
}
