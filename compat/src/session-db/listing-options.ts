import type { SessionFilter, SessionListOptions } from "@hermes/state-core";
import type { Given } from "./given.js";

/** Which sessions a listing shows, and how. Null and absent mean the same. */
export interface ListOptions {
  readonly source?: string | null;
  readonly sources?: readonly string[] | null;
  readonly excludeSources?: readonly string[] | null;
  /** Sessions that ran in this folder or below it. */
  readonly cwdPrefix?: string | null;
  /** Default 20; a negative number stands for all. */
  readonly limit?: number | null;
  readonly offset?: number | null;
  /** Continuations, delegates and tool sessions too. */
  readonly includeChildren?: boolean;
  readonly minMessageCount?: number | null;
  /** Show a compacted conversation as its tip. Default true. */
  readonly projectCompressionTips?: boolean;
  /** Default: newest start first. */
  readonly orderByLastActive?: boolean;
  readonly includeArchived?: boolean;
  readonly archivedOnly?: boolean;
  /** A part of the id of any segment. */
  readonly idQuery?: string | null;
  /** A part of the id or the title of any segment. */
  readonly searchQuery?: string | null;
  /** Leave out the prompt and what belongs to it. */
  readonly compactRows?: boolean;
  /** Also the pinned sessions that the stretch missed. */
  readonly includePinned?: boolean;
  readonly sessionKey?: string | null;
}

/** Which sessions to count. */
export interface CountOptions extends Pick<
  ListOptions,
  "source" | "sources" | "cwdPrefix" | "minMessageCount" | "includeArchived" | "archivedOnly" | "excludeSources"
> {
  /** Count conversations only, as a listing shows them. */
  readonly excludeChildren?: boolean;
}

/** Which sessions, the most recently active first. */
export interface SearchSessionsOptions extends Pick<ListOptions, "source" | "limit" | "offset"> {
  /** Default true. */
  readonly includeArchived?: boolean | null;
  readonly workspaceKey?: string | null;
}

/** Which sessions to look for by id. */
export interface IdSearch extends Pick<ListOptions, "limit" | "source" | "sources" | "excludeSources"> {
  /** Default true. */
  readonly includeArchived?: boolean | null;
}

/** In the old order; the next ones too. */
export const LIST_NAMES: readonly (keyof ListOptions)[] = [
  "source",
  "sources",
  "excludeSources",
  "cwdPrefix",
  "limit",
  "offset",
  "includeChildren",
  "minMessageCount",
  "projectCompressionTips",
  "orderByLastActive",
  "includeArchived",
  "archivedOnly",
  "idQuery",
  "searchQuery",
  "compactRows",
  "includePinned",
  "sessionKey",
];

export const COUNT_NAMES: readonly (keyof CountOptions)[] = [
  "source",
  "sources",
  "cwdPrefix",
  "minMessageCount",
  "includeArchived",
  "archivedOnly",
  "excludeChildren",
  "excludeSources",
];

export const ID_NAMES: readonly (keyof IdSearch)[] = [
  "limit",
  "includeArchived",
  "source",
  "sources",
  "excludeSources",
];

/** What counts and listings have in common. */
export function shownFilter(options: Given<CountOptions>): SessionFilter {
  const { includeArchived = false, archivedOnly = false, excludeChildren = false, ...rest } = options;
  const archived = archivedOnly ? "only" : includeArchived ? "include" : "hide";
  return { ...rest, archived, includeChildren: !excludeChildren };
}

/** The same for a listing, with the way it is shown. */
export function listFilter(options: Given<ListOptions>): Omit<SessionListOptions, "limit" | "offset" | "cursor"> {
  const {
    limit: _limit,
    offset: _offset,
    compactRows: _compact,
    projectCompressionTips = true,
    orderByLastActive = false,
    includeArchived = false,
    archivedOnly = false,
    includeChildren = false,
    ...rest
  } = options;
  return {
    ...rest,
    ...shownFilter({ includeArchived, archivedOnly, excludeChildren: !includeChildren }),
    projectTips: projectCompressionTips,
    order: orderByLastActive ? "active" : "started",
  };
}
