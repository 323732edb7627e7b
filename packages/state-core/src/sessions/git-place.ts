import type { Writer } from "@hermes/state-schema";
import { sessionNotFound } from "./session-errors.js";

const SET_CWD = `
  UPDATE sessions SET cwd = ?, git_branch = COALESCE(?, git_branch), git_repo_root = COALESCE(?, git_repo_root),
    git_metadata_generation = git_metadata_generation + 1
  WHERE id = ?`;
const SELECT_GENERATION = "SELECT git_metadata_generation AS generation FROM sessions WHERE id = ?";

/** The generation alone tells apart a folder from the same folder later on; the path guards against other writers. */
const PUBLISH = `
  UPDATE sessions SET git_branch = ?, git_repo_root = ?
  WHERE id = ? AND cwd = ? AND git_metadata_generation = ?`;

const BACKFILL = `
  UPDATE sessions SET git_repo_root = known.value
  FROM json_each(?) AS known
  WHERE sessions.cwd = known.key AND COALESCE(sessions.git_repo_root, '') = ''`;

/** What is known about a working folder beside its path. */
export interface GitPlace {
  readonly gitBranch?: string;
  readonly gitRepoRoot?: string;
}

/** What a probe of a working folder found. */
export interface GitProbe {
  /** The folder it looked at. */
  readonly cwd: string;
  /** What `updateCwd` returned for it. */
  readonly generation: number;
  /** Null for none. */
  readonly gitBranch: string | null;
  readonly gitRepoRoot: string | null;
}

/**
 * Moves a session to another folder.
 *
 * @returns The generation of its place: an answer of a slow probe is stale when this has moved on.
 */
export function moveSession(w: Writer, sessionId: string, cwd: string, git: GitPlace): number {
  const { changes } = w.run(SET_CWD, [cwd, git.gitBranch || null, git.gitRepoRoot || null, sessionId]);
  if (changes === 0) throw sessionNotFound(sessionId);
  return w.get<{ generation: number }>(SELECT_GENERATION, [sessionId])?.generation ?? 0;
}

/**
 * Stores what a probe found, unless the session has moved since, even if it has come back.
 *
 * @returns Whether it was stored.
 */
export function publishGit(w: Writer, sessionId: string, probe: GitProbe): boolean {
  const { cwd, generation, gitBranch, gitRepoRoot } = probe;
  return w.run(PUBLISH, [gitBranch, gitRepoRoot, sessionId, cwd, generation]).changes > 0;
}

/**
 * Fills in the repository of sessions that have none.
 *
 * @param roots - Repository by working folder.
 * @returns How many sessions have one now.
 */
export function backfillRepoRoots(w: Writer, roots: ReadonlyMap<string, string>): number {
  return w.run(BACKFILL, [JSON.stringify(Object.fromEntries(roots))]).changes;
}
