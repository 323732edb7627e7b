/** The end of a session that maintenance closed since nobody had used it for ages. */
export const REAPED_END_REASON = "startup_orphan_reap";

/**
 * Accidental ends: the conversation may be resumed, and a later deliberate reset may restamp them (COR-20).
 * The families of end reasons are defined here and nowhere else (COR-20).
 */
export const RECOVERABLE_END_REASONS: ReadonlySet<string> = new Set([
  "agent_close",
  "ws_orphan_reap",
  "superseded_by_resume",
  REAPED_END_REASON,
]);

/** Ends that nobody asked for, the accidental ones among them. */
export const AUTOMATIC_END_REASONS: ReadonlySet<string> = new Set([
  ...RECOVERABLE_END_REASONS,
  "tui_shutdown",
  "ws_disconnect",
  "idle_timeout",
  "lru_evict",
]);

/** Ends that start the conversation over: what was said before must not come back. */
export const RESET_END_REASONS: ReadonlySet<string> = new Set([
  "session_reset",
  "session_switch",
  "idle",
  "daily",
  "suspended",
  "resume_pending_expired",
]);

/** Ends after which the next message of a peer begins a new session: every reset, and asking for a new one. */
export const BOUNDARY_END_REASONS: ReadonlySet<string> = new Set([...RESET_END_REASONS, "new_session"]);

/** The end of a segment that a compaction closed; it takes no messages any more. */
export const COMPRESSION_END_REASON = "compression";

/** The end of a session that went on as a branch. */
export const BRANCHED_END_REASON = "branched";

/** Reasons of no family that writers of such files are known to use. */
export const OTHER_END_REASONS: ReadonlySet<string> = new Set([
  COMPRESSION_END_REASON,
  BRANCHED_END_REASON,
  "orphaned_compression",
  "cli_close",
  "user_exit",
  "cron_complete",
  "completed",
  "done",
  "resumed_other",
  "tui_close",
  "webhook_complete",
]);
