import type { SessionFilter, SessionRow } from "@hermes/state-core";
import { UsageError } from "../errors/usage-error.js";
import { workspaceOf } from "./workspace.js";

/** Options that say which sessions: shared by `sessions list` and `export`. */
export interface SelectionOptions {
  readonly source?: readonly string[];
  readonly excludeSource?: readonly string[];
  readonly workspace?: string;
  readonly archived?: boolean;
  readonly all?: boolean;
  readonly hidden?: boolean;
  readonly children?: boolean;
}

/** Which sessions: what the store's filter can say, and what is left to look at row by row. */
export interface SessionSelection {
  readonly filter: SessionFilter;
  readonly matches: ((session: Pick<SessionRow, "cwd" | "gitRepoRoot">) => boolean) | undefined;
}

/**
 * Reads the options.
 *
 * @throws UsageError when two of them exclude each other.
 */
export function selectionOf(options: SelectionOptions): SessionSelection {
  const { source, excludeSource, archived, all, hidden, children } = options;
  if (archived && all) {
    throw new UsageError("--archived and --all exclude each other: --all shows archived sessions too.");
  }
  const workspace = options.workspace === undefined ? undefined : workspaceOf(options.workspace);
  const filter: SessionFilter = {
    ...(source && { sources: source }),
    ...(excludeSource && { excludeSources: excludeSource }),
    ...workspace?.filter,
    ...(archived && { archived: "only" }),
    ...(all && { archived: "include" }),
    ...(hidden && { hidden: "include" }),
    ...(children && { includeChildren: true }),
  };
  return { filter, matches: workspace?.matches };
}
