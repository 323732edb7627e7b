import { checkKnownOptions } from "@hermes/state-core";
import type { SessionRow, SessionSummary } from "@hermes/state-core";
import {
  findSessionsById,
  firstAssistantText,
  listCronRuns,
  listSkillSessions,
  listWorkingDirectories,
} from "@hermes/state-search";
import type { SkillSession, WorkingDirectory } from "@hermes/state-search";
import { workspaceKey } from "../hermes-state/workspace-key.js";
import { callArguments } from "./call-arguments.js";
import { given } from "./given.js";
import type { CountOptions, IdSearch, ListOptions, SearchSessionsOptions } from "./listing-options.js";
import { COUNT_NAMES, ID_NAMES, LIST_NAMES, listFilter, shownFilter } from "./listing-options.js";
import { flagArgument, oneArgument } from "./one-argument.js";
import type { Alone } from "./one-argument.js";
import { describeById, listStretch, richRow } from "./rich-row.js";
import type { RichSession } from "./rich-row.js";
import { SessionDbUsage } from "./session-db-usage.js";

const DEFAULT_LIMIT = 20;
const SKILL_LIMIT = 200;
const COUNT_UP_TO = "SELECT COUNT(*) AS total FROM (SELECT 1 FROM sessions LIMIT ?)";

/** The listings of the one-object store. */
export abstract class SessionDbListing extends SessionDbUsage {
  /**
   * Conversations with what a list shows of them, the newest start first; a compacted one is shown as its tip.
   *
   * @param limit - Default 20; a negative number stands for all.
   * @throws TypeError for an unknown option or a wrong type, RangeError for an impossible number.
   */
  listSessionsRich(options?: ListOptions): RichSession[];
  listSessionsRich(
    source?: string | null,
    sources?: readonly string[] | null,
    excludeSources?: readonly string[] | null,
    cwdPrefix?: string | null,
    limit?: number | null,
    offset?: number | null,
    includeChildren?: boolean,
    minMessageCount?: number | null,
    projectCompressionTips?: boolean,
    orderByLastActive?: boolean,
    includeArchived?: boolean,
    archivedOnly?: boolean,
    idQuery?: string | null,
    searchQuery?: string | null,
    compactRows?: boolean,
    includePinned?: boolean,
    sessionKey?: string | null,
  ): RichSession[];
  listSessionsRich(source: string | null, options: ListOptions): RichSession[];
  listSessionsRich(...args: readonly unknown[]): RichSession[] {
    const options = given(callArguments("SessionDB.listSessionsRich", args, LIST_NAMES) as ListOptions);
    const { limit = DEFAULT_LIMIT, offset = 0, compactRows = false } = options;
    const lines = listStretch(this.store, listFilter(options), limit, offset);
    return this.rows(lines.map((line) => richRow(this.store, line, compactRows)));
  }

  /**
   * Sessions of a source or of a workspace, continuations, delegates and archived ones too, the most recently active
   * first.
   *
   * @param workspaceKey - As `workspaceKey(row)` tells it.
   */
  searchSessions(options?: SearchSessionsOptions): SessionSummary[];
  searchSessions(
    source?: string | null,
    limit?: number | null,
    offset?: number | null,
    workspaceKey?: string | null,
  ): SessionSummary[];
  searchSessions(source: string | null, options: SearchSessionsOptions): SessionSummary[];
  searchSessions(...args: readonly unknown[]): SessionSummary[] {
    const names = ["source", "limit", "offset", "workspaceKey"];
    const options = given(
      callArguments("SessionDB.searchSessions", args, names, ["includeArchived"]) as SearchSessionsOptions,
    );
    const { limit = DEFAULT_LIMIT, offset = 0, workspaceKey: key, includeArchived = true, ...rest } = options;
    const shown = shownFilter({ ...rest, includeArchived });
    const filter = { ...shown, includeChildren: true, order: "active" as const };
    if (key === undefined) return this.rows(listStretch(this.store, filter, limit, offset));
    const inside = listStretch(this.store, filter, -1, 0).filter((row) => workspaceKey(row) === key);
    return this.rows(inside.slice(offset, limit < 0 ? undefined : offset + limit));
  }

  /** How many sessions there are; as a listing counts them, except that continuations and delegates count too. */
  sessionCount(options?: CountOptions): number;
  sessionCount(
    source?: string | null,
    sources?: readonly string[] | null,
    cwdPrefix?: string | null,
    minMessageCount?: number | null,
    includeArchived?: boolean,
    archivedOnly?: boolean,
    excludeChildren?: boolean,
    excludeSources?: readonly string[] | null,
  ): number;
  sessionCount(source: string | null, options: CountOptions): number;
  sessionCount(...args: readonly unknown[]): number {
    const options = given(callArguments("SessionDB.sessionCount", args, COUNT_NAMES) as CountOptions);
    return this.store.sessions.count(shownFilter(options));
  }

  /** Whether there are at least so many sessions, archived ones too; no more of them are counted. */
  sessionCountGe(n: number): boolean {
    if (!Number.isSafeInteger(n)) throw new RangeError(`SessionDB.sessionCountGe: n is ${n}, no whole number.`);
    if (n <= 0) return true;
    return (this.store.read((r) => r.get<{ total: number }>(COUNT_UP_TO, [n]))?.total ?? 0) >= n;
  }

  /** How many sessions there are of each source; one without a source counts as `cli`. */
  sessionCountBySource(
    options: Pick<CountOptions, "includeArchived" | "archivedOnly" | "excludeChildren"> = {},
  ): Record<string, number> {
    const what = "SessionDB.sessionCountBySource";
    checkKnownOptions(what, options, ["includeArchived", "archivedOnly", "excludeChildren"]);
    return Object.fromEntries(this.store.sessions.countBySource(shownFilter(given(options))));
  }

  /** Every folder that sessions ran in, the most recently used first. */
  distinctSessionCwds(includeArchived?: Alone<"includeArchived", boolean>): WorkingDirectory[] {
    const all = flagArgument("SessionDB.distinctSessionCwds", "includeArchived", includeArchived);
    return this.rows(listWorkingDirectories(this.store, { includeArchived: all }));
  }

  /** The sessions of a scheduled job, newest first. @throws TypeError, RangeError for an impossible number. */
  listCronJobRuns(jobId: string, options?: Pick<ListOptions, "limit" | "offset">): SessionRow[];
  listCronJobRuns(jobId: string, limit?: number | null, offset?: number | null): SessionRow[];
  listCronJobRuns(jobId: string, ...args: readonly unknown[]): SessionRow[] {
    const options = given(callArguments("SessionDB.listCronJobRuns", args, ["limit", "offset"]) as ListOptions);
    const { limit = DEFAULT_LIMIT, offset = 0 } = options;
    return this.rows(listCronRuns(this.store, jobId, { limit, offset }));
  }

  /** One session as a listing shows it, as it is itself; null for an unknown one. */
  getSessionRichRow(sessionId: string, compactRows?: Alone<"compactRows", boolean>): RichSession | null {
    const compact = flagArgument("SessionDB.getSessionRichRow", "compactRows", compactRows);
    const [line] = describeById(this.store, [sessionId]);
    return line ? this.row(richRow(this.store, line, compact)) : null;
  }

  /** Titled sessions that began with the body of a skill. */
  listSkillScaffoldedSessions(limit?: Alone<"limit", number>): SkillSession[] {
    const most = oneArgument("SessionDB.listSkillScaffoldedSessions", "limit", limit) ?? SKILL_LIMIT;
    return this.rows(listSkillSessions(this.store, { limit: most }));
  }

  /** The first thing the assistant said in a session; empty when that is nothing, or no text. */
  getFirstAssistantText(sessionId: string): string {
    return firstAssistantText(this.store, sessionId);
  }

  /**
   * Conversations of which a segment's id is this, begins with it or holds it, in this order.
   *
   * @param limit - Default 20; none for 0 and less.
   */
  searchSessionsById(query: string, options?: IdSearch): RichSession[];
  searchSessionsById(
    query: string,
    limit?: number | null,
    includeArchived?: boolean | null,
    source?: string | null,
    sources?: readonly string[] | null,
    excludeSources?: readonly string[] | null,
  ): RichSession[];
  searchSessionsById(query: string, limit: number, options: IdSearch): RichSession[];
  searchSessionsById(query: string, ...args: readonly unknown[]): RichSession[] {
    const what = "SessionDB.searchSessionsById";
    if (typeof query !== "string") throw new TypeError(`${what}: the query must be text, not ${typeof query}.`);
    const options = given(callArguments(what, args, ID_NAMES) as IdSearch);
    const { source, limit = DEFAULT_LIMIT, sources, ...rest } = options;
    const among = sources ?? (source === undefined ? undefined : [source]);
    const found = findSessionsById(this.store, query, {
      ...rest,
      limit: Math.max(limit, 0),
      ...(among && { sources: among }),
    });
    const roots = new Map(found.map(({ session, lineageRootId }) => [session.id, lineageRootId]));
    const lines = describeById(this.store, [...roots.keys()]).map((line) => {
      const root = roots.get(line.id);
      return { ...line, lineageRootId: root === line.id ? undefined : root };
    });
    return this.rows(lines.map((line) => richRow(this.store, line, false)));
  }
}
