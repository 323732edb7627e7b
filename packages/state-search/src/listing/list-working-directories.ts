import { checkKnownOptions, saneSecondsSql } from "@hermes/state-core";
import type { ListingStore } from "./listing-store.js";

/** A folder that sessions ran in. */
export interface WorkingDirectory {
  readonly cwd: string;
  /** How many sessions, continuations and delegates among them. */
  readonly sessions: number;
  /** The latest end or start, REAL seconds since the epoch; undefined where no moment can be read. */
  readonly lastActiveSeconds: number | undefined;
}

const SELECT_DIRECTORIES = `
  SELECT s.cwd AS cwd, COUNT(*) AS sessions,
    MAX(COALESCE(${saneSecondsSql("s.ended_at")}, ${saneSecondsSql("s.started_at")})) AS lastActive
  FROM sessions AS s
  WHERE s.cwd IS NOT NULL AND trim(s.cwd) <> '' AND (? OR COALESCE(s.archived, 0) = 0)
  GROUP BY s.cwd ORDER BY lastActive IS NULL, lastActive DESC, s.cwd`;

/**
 * Every folder that sessions ran in, over the whole history, the most recently used first (SEA-16).
 *
 * @param options - `includeArchived`: also count archived sessions; default false.
 * @throws TypeError for an unknown option.
 */
export function listWorkingDirectories(
  store: ListingStore,
  options: { readonly includeArchived?: boolean } = {},
): readonly WorkingDirectory[] {
  checkKnownOptions("listWorkingDirectories", options, ["includeArchived"]);
  const archived = options.includeArchived ? 1 : 0;
  return store.read((r) =>
    r
      .all<{ cwd: string; sessions: number; lastActive: number | null }>(SELECT_DIRECTORIES, [archived])
      .map(({ cwd, sessions, lastActive }) => ({ cwd, sessions, lastActiveSeconds: lastActive ?? undefined })),
  );
}
