import type { JournalChoice } from "@hermes/state-core";

/** The part of a host's config that speaks of the database. */
export interface JournalConfig {
  readonly database?: { readonly journal_mode?: unknown };
}

/**
 * The journal mode to aim for: what a host's config says. This stack reads no config file: hand over what you read.
 *
 * @param config - As parsed. Default: nothing is configured.
 * @returns "delete" where it says so; "wal" for anything else.
 */
export function resolveJournalMode(config: JournalConfig = {}): JournalChoice {
  const mode = config.database?.journal_mode;
  return typeof mode === "string" && mode.trim().toLowerCase() === "delete" ? "delete" : "wal";
}
