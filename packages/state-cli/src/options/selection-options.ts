import type { SessionFilter } from "@hermes/state-core";
import { UsageError } from "../errors/usage-error.js";
import type { SessionSelection } from "./selection.js";
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
