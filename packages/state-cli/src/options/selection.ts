import type { SessionFilter, SessionRow } from "@hermes/state-core";

/** Which sessions: what the store's filter can say, and what is left to look at row by row. */
export interface SessionSelection {
  readonly filter: SessionFilter;
  readonly matches: ((session: Pick<SessionRow, "cwd" | "gitRepoRoot">) => boolean) | undefined;
}
