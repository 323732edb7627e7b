/** A column as the peer's schema of some version declared it first. */
export interface HistoricColumn {
  /** The first schema version that had it. */
  readonly since: number;
  readonly name: string;
  /** Type and constraints. */
  readonly type: string;
}

/** A table as the peer's versions grew it. */
export interface HistoricTable {
  readonly since: number;
  readonly columns: readonly HistoricColumn[];
  /** Constraints behind the columns, of the newest form unless `constraintAt` says otherwise. */
  readonly constraint?: string;
  readonly constraintBefore?: { readonly version: number; readonly text: string };
}

/** Reads `name TYPE ...` lines of one version. */
function since(version: number, lines: string): HistoricColumn[] {
  return lines.split(",").map((line) => {
    const [name = "", ...type] = line.trim().split(" ");
    return { since: version, name, type: type.join(" ") };
  });
}

const SESSIONS: HistoricTable = {
  since: 1,
  columns: [
    ...since(
      1,
      `id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT,
       parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT,
       message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0,
       input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0`,
    ),
    ...since(4, "title TEXT"),
    ...since(
      6,
      `cache_read_tokens INTEGER DEFAULT 0, cache_write_tokens INTEGER DEFAULT 0, reasoning_tokens INTEGER DEFAULT 0,
       billing_provider TEXT, billing_base_url TEXT, billing_mode TEXT, estimated_cost_usd REAL, actual_cost_usd REAL,
       cost_status TEXT, cost_source TEXT, pricing_version TEXT`,
    ),
    ...since(8, "api_call_count INTEGER DEFAULT 0"),
    ...since(11, "handoff_state TEXT, handoff_platform TEXT, handoff_error TEXT"),
    ...since(14, "cwd TEXT, rewind_count INTEGER NOT NULL DEFAULT 0, archived INTEGER NOT NULL DEFAULT 0"),
    ...since(16, "git_branch TEXT, git_repo_root TEXT"),
    ...since(
      20,
      `session_key TEXT, chat_id TEXT, chat_type TEXT, thread_id TEXT, display_name TEXT, origin_json TEXT,
       expiry_finalized INTEGER DEFAULT 0, compression_failure_cooldown_until REAL, compression_failure_error TEXT`,
    ),
    ...since(22, "compression_fallback_streak INTEGER NOT NULL DEFAULT 0, profile_name TEXT"),
    ...since(
      23,
      `last_activity_at REAL, last_activity_description TEXT, last_activity_provenance TEXT,
       compression_ineffective_count INTEGER NOT NULL DEFAULT 0, pinned INTEGER NOT NULL DEFAULT 0`,
    ),
    ...since(25, "system_prompt_hash TEXT, title_source TEXT, last_read_at REAL"),
    ...since(26, "git_metadata_generation INTEGER NOT NULL DEFAULT 0, hidden INTEGER NOT NULL DEFAULT 0"),
    ...since(
      30,
      `created_source TEXT, compression_recovery_deadline REAL, compression_overload_streak INTEGER NOT NULL DEFAULT 0,
       transport_profile TEXT, tool_names TEXT`,
    ),
  ],
  constraint: "FOREIGN KEY (parent_session_id) REFERENCES sessions(id)",
};

const MESSAGES: HistoricTable = {
  since: 1,
  columns: [
    ...since(
      1,
      `id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
       content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER`,
    ),
    ...since(2, "finish_reason TEXT"),
    ...since(6, "reasoning TEXT, reasoning_details TEXT, codex_reasoning_items TEXT"),
    ...since(8, "reasoning_content TEXT"),
    ...since(11, "codex_message_items TEXT"),
    ...since(14, "platform_message_id TEXT, observed INTEGER DEFAULT 0, active INTEGER NOT NULL DEFAULT 1"),
    ...since(16, "compacted INTEGER NOT NULL DEFAULT 0"),
    ...since(20, "effect_disposition TEXT"),
    ...since(22, "api_content TEXT"),
    ...since(23, "display_kind TEXT, display_metadata TEXT"),
    ...since(30, "_compressed_summary INTEGER NOT NULL DEFAULT 0, display_identity BLOB, display_order INTEGER"),
  ],
};

const USAGE: HistoricTable = {
  since: 20,
  columns: [
    ...since(
      20,
      `session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, model TEXT NOT NULL,
       billing_provider TEXT NOT NULL DEFAULT '', billing_base_url TEXT NOT NULL DEFAULT '',
       billing_mode TEXT NOT NULL DEFAULT '', api_call_count INTEGER NOT NULL DEFAULT 0,
       input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0,
       cache_read_tokens INTEGER NOT NULL DEFAULT 0, cache_write_tokens INTEGER NOT NULL DEFAULT 0,
       reasoning_tokens INTEGER NOT NULL DEFAULT 0, estimated_cost_usd REAL NOT NULL DEFAULT 0,
       actual_cost_usd REAL NOT NULL DEFAULT 0, cost_status TEXT, cost_source TEXT, first_seen REAL, last_seen REAL`,
    ),
    ...since(22, "task TEXT NOT NULL DEFAULT ''"),
  ],
  constraint: "PRIMARY KEY (session_id, model, billing_provider, billing_base_url, billing_mode, task)",
  constraintBefore: {
    version: 22,
    text: "PRIMARY KEY (session_id, model, billing_provider, billing_base_url, billing_mode)",
  },
};

const DELEGATIONS: HistoricTable = {
  since: 22,
  columns: [
    ...since(
      22,
      `delegation_id TEXT PRIMARY KEY, origin_session TEXT NOT NULL, origin_ui_session_id TEXT NOT NULL DEFAULT '',
       parent_session_id TEXT, state TEXT NOT NULL, dispatched_at REAL NOT NULL, completed_at REAL,
       updated_at REAL NOT NULL, event_json TEXT, result_json TEXT, delivery_state TEXT NOT NULL DEFAULT 'pending',
       delivery_attempts INTEGER NOT NULL DEFAULT 0, delivered_at REAL, owner_pid INTEGER, owner_started_at INTEGER,
       task_json TEXT, delivery_claim TEXT, delivery_claimed_at REAL`,
    ),
    ...since(30, "origin_session_id TEXT NOT NULL DEFAULT ''"),
  ],
};

/** A table that never changed. */
function constant(version: number, columns: string, constraint?: string): HistoricTable {
  return { since: version, columns: since(version, columns), ...(constraint === undefined ? {} : { constraint }) };
}

const LEASE = "holder TEXT NOT NULL, acquired_at REAL NOT NULL, expires_at REAL NOT NULL";

/**
 * What the tables of the peer looked like at each schema version, as facts about the files it wrote. It is kept apart
 * from the schema package's own model on purpose: an upgrade test compares one with the other.
 */
export const COLUMN_HISTORY: Readonly<Record<string, HistoricTable>> = {
  schema_version: constant(1, "version INTEGER NOT NULL"),
  system_prompts: constant(25, "hash TEXT PRIMARY KEY, prompt TEXT NOT NULL"),
  sessions: SESSIONS,
  messages: MESSAGES,
  state_meta: constant(8, "key TEXT PRIMARY KEY, value TEXT"),
  compression_locks: constant(14, `session_id TEXT PRIMARY KEY, ${LEASE}`),
  session_model_usage: USAGE,
  gateway_routing: constant(
    20,
    "scope TEXT NOT NULL DEFAULT '', session_key TEXT NOT NULL, entry_json TEXT NOT NULL, updated_at REAL NOT NULL",
    "PRIMARY KEY (scope, session_key)",
  ),
  async_delegations: DELEGATIONS,
  session_turn_leases: constant(26, `conversation_id TEXT PRIMARY KEY, ${LEASE}`),
  gateway_hygiene_state: constant(26, "session_key TEXT PRIMARY KEY, failure_streak INTEGER NOT NULL DEFAULT 0"),
};
