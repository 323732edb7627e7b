import type { PersistenceCause } from "./classify-persistence-error.js";

const EXPLANATIONS: Readonly<Record<PersistenceCause, string>> = {
  locked:
    "Another process held the store's write lock for longer than this write may wait. The store itself is " +
    "healthy; try again.",
  compression: "The session is being compacted by another process. Try again when it has finished.",
  compression_closed:
    "The session was closed by a rotation and lives on under a new id. Refresh the session id and write to its " +
    "continuation.",
  turn_lease: "Another process took over this conversation's turn. Stop this turn and load the conversation again.",
  corrupt:
    "The store is damaged. Stop every process that writes to it and run: hermes-state check, then hermes-state " +
    "doctor. Freeing space will not help.",
  fts_index:
    "A search index is damaged; the conversations themselves are intact. Run: hermes-state check, then " +
    "hermes-state repair --plan.",
  replaced: "The store's file was replaced or removed while it was open. Open the store again.",
  deleted_wal:
    "The store's write-ahead log was deleted while it was open. Open the store again, then run: hermes-state " +
    "check.",
  disk:
    "The file could not be written: no space is left, or the file or its folder is not writable. Free space or " +
    "fix the permissions.",
  session_row_missing: "The session does not exist in this store. Create it, then write again.",
  unknown: "The store could not do this. Run: hermes-state check, and keep the error text.",
};

/** One or two sentences for a person: what the bucket means and what to do next. Every bucket has one (COR-08). */
export function explainPersistenceCause(cause: PersistenceCause): string {
  return EXPLANATIONS[cause];
}
