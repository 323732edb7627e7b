/** A row of a session, in either spelling. */
export interface WorkspaceRow {
  readonly gitRepoRoot?: string | null | undefined;
  readonly git_repo_root?: string | null | undefined;
  readonly cwd?: string | null | undefined;
}

/**
 * What a session belongs to: the root of its repository, else its folder.
 *
 * @returns Null where the row names neither.
 */
export function workspaceKey(row: WorkspaceRow): string | null {
  return row.gitRepoRoot || row.git_repo_root || row.cwd || null;
}
