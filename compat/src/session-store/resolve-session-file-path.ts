import { join } from "node:path";
import { checkSessionId } from "@hermes/gateway-session";
import { StateError } from "@hermes/state-core";
import { storePlace } from "./store-place.js";

/** What else names the file of a transcript. */
export interface SessionFilePathOptions {
  /** As for `loadSessionStore`. */
  readonly storePath?: string;
}

/**
 * Where the transcript file of a session lay, or would lie: transcripts are in the database now, and `exportStore`
 * writes one. Nothing is created.
 *
 * @param entry - The entry of the session: a `session_file` or `sessionFile` in it wins.
 * @throws StateError `STATE_E_BAD_SESSION_ID` for an id that would lead out of the folder.
 */
export function resolveSessionFilePath(
  sessionId: string,
  entry?: Readonly<Record<string, unknown>> | null,
  options: SessionFilePathOptions = {},
): string {
  const objection = checkSessionId(sessionId);
  if (objection !== undefined) {
    throw new StateError(
      "STATE_E_BAD_SESSION_ID",
      `${JSON.stringify(sessionId)} is no name of a file: ${objection}. Give the id of a session.`,
      { sessionId, objection },
    );
  }
  const named = entry?.["session_file"] ?? entry?.["sessionFile"];
  if (typeof named === "string" && named !== "") return named;
  return join(storePlace(options.storePath).sessionsFolder, `${sessionId}.jsonl`);
}
