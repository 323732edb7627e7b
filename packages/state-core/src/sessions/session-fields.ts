import type { JsonObject } from "../codec/json-value.js";

/** What a session is created with. Absent and null fields stay empty, or come from the parent. */
export interface SessionFields {
  /** Chosen by the caller, or made from the time and random digits when absent. */
  readonly id?: string;
  /** Where it runs: cli, telegram, cron, subagent, ... */
  readonly source: string;
  readonly userId?: string | null;
  readonly sessionKey?: string | null;
  readonly chatId?: string | null;
  readonly chatType?: string | null;
  readonly threadId?: string | null;
  readonly displayName?: string | null;
  /** JSON text of the peer as the gateway saw it; never interpreted. */
  readonly originJson?: string | null;
  readonly model?: string | null;
  /** May carry a lineage marker such as `_branched_from`. */
  readonly modelConfig?: JsonObject | null;
  readonly systemPrompt?: string | null;
  readonly parentSessionId?: string | null;
  /** REAL seconds since the epoch; now when absent. */
  readonly startedAtSeconds?: number;
  /** Absolute path. */
  readonly cwd?: string | null;
  readonly gitBranch?: string | null;
  readonly gitRepoRoot?: string | null;
  /** From the store's path when neither given nor inherited. */
  readonly profileName?: string | null;
  readonly transportProfile?: string | null;
  readonly toolNames?: readonly string[] | null;
  /** Set as the user's own title. */
  readonly title?: string | null;
}
