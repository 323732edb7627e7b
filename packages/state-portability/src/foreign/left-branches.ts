import type { Reader } from "@hermes/state-schema";
import type { IncomingTranscript } from "../import/import-reader.js";
import type { Cell } from "../rows/raw-row.js";
import { uidPrefix } from "./stored-uid.js";

/** Ids are compared as text, so the branches of a thread lie between two texts. */
const BRANCHES = "SELECT id FROM sessions WHERE id > ? AND id < ? ORDER BY id";
const SHOWN = `SELECT message_uid FROM messages
  WHERE session_id = ? AND (active = 1 OR compacted = 1) AND message_uid IS NOT NULL`;

/**
 * Branches of a thread that its transcript does not have any more, because somebody went back to that path and on with
 * it: all they show is in other sessions of the transcript, and would be found twice (POR-05).
 */
export function leftBranches(r: Reader, transcript: IncomingTranscript, source: Cell | undefined): readonly string[] {
  if (typeof source !== "string") return [];
  const { thread, sessions, uids } = transcript;
  const stored = r.all<{ id: string }>(BRANCHES, [`${thread}.branch-`, `${thread}.branch.`]);
  return stored
    .map(({ id }) => id)
    .filter((id) => !sessions.has(id))
    .filter((id) => {
      const shown = r.all<{ message_uid: string }>(SHOWN, [id]).map(({ message_uid: uid }) => uid);
      const ours = shown.filter((uid) => uid.startsWith(uidPrefix(source)));
      return ours.length > 0 && ours.every((uid) => uids.has(uid));
    });
}
