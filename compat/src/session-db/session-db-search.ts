import { checkKnownOptions, isStateError, mergeIndexWhole } from "@hermes/state-core";
import type { AnchoredView, UserTurn } from "@hermes/state-core";
import { mergeableTables, META_KEYS } from "@hermes/state-schema";
import {
  indexStatus,
  isOptimizeAvailable,
  optimizeStorage,
  rebuildIndexes,
  searchMessages,
  stepBackfill,
} from "@hermes/state-search";
import type { SearchHit } from "@hermes/state-search";
import { callArguments } from "./call-arguments.js";
import { flagOf } from "./flag-of.js";
import { given } from "./given.js";
import { ofSession } from "./of-session.js";
import { SEARCH_NAMES, peerHit, searchOptions } from "./search-arguments.js";
import type { SearchMessagesOptions } from "./search-arguments.js";
import { SessionDbTopics } from "./session-db-topics.js";

/** How far an index is built, in ids. */
export interface RebuildStatus {
  readonly pending: true;
  readonly total: number;
  readonly indexed: number;
  /** 0 to 100. */
  readonly percent: number;
}

/** Where an upgrade of the index is. */
export interface OptimizeProgress {
  readonly phase: string;
  readonly percent: number;
  readonly indexed: number;
  readonly total: number;
}

/** How an upgrade of the index ended. */
export interface OptimizeResult {
  readonly ok: boolean;
  /** Null: there was nothing to give back, or nobody asked. */
  readonly vacuumed: boolean | null;
  /** Why it is not `ok`. */
  readonly reason?: string;
}

/** What to show around a message. */
export interface AnchoredViewOptions {
  readonly window?: number;
  readonly bookend?: number;
  /** Roles to keep; null keeps all. Default user and assistant. */
  readonly keepRoles?: readonly string[] | null;
}

/** Which turns of the user to list. */
export interface RecentOptions {
  /** Default 20. */
  readonly limit?: number;
  /** Also what was rewound or compacted. */
  readonly includeInactive?: boolean;
}

const RECENT = 20;
const VIEW_NAMES = ["window", "bookend", "keepRoles"];
const MERGE_PAGES = 1_000;

function percent(done: number, total: number): number {
  return total <= 0 ? 100 : Math.floor((Math.min(done, total) * 100) / total);
}

/** The search of the one-object store, and the life of its indexes. */
export abstract class SessionDbSearch extends SessionDbTopics {
  /** How far the search index is built; null when nothing is left to do. */
  ftsRebuildStatus(): RebuildStatus | null {
    const { pending } = indexStatus(this.store);
    return pending ? this.row({ pending: true as const, ...pending }) : null;
  }

  /** Indexes some hundred messages more. @returns Whether work remains; true also while others keep the file busy. */
  ftsRebuildStep(): boolean {
    try {
      return stepBackfill(this.store) === "more";
    } catch (error) {
      if (isStateError(error, "STATE_E_BUSY")) return true;
      throw error;
    }
  }

  /** How far the CJK index of the old program is built, which only programs with its tokenizer can go on with. */
  ftsCjkRebuildStatus(): RebuildStatus | null {
    const [total, indexed] = [META_KEYS.ftsCjkRebuildHighWater, META_KEYS.ftsCjkRebuildProgress].map(({ key }) =>
      Number.parseInt(this.store.meta.get(key) ?? "0", 10),
    ) as [number, number];
    return total > 0 ? { pending: true, total, indexed, percent: percent(indexed, total) } : null;
  }

  /** This runtime has no tokenizer for the CJK index: searches need none, and other programs build it. */
  ftsCjkRebuildStep(): false {
    return false;
  }

  /** Whether {@link SessionDbSearch.optimizeFtsStorage} has something to do. */
  ftsOptimizeAvailable(): boolean {
    return isOptimizeAvailable(this.store);
  }

  /**
   * Brings the search index to the newest layout, in steps that let others write in between.
   *
   * @param options - `progressCb` is told where it is; `vacuum`: give free pages back at the end, the default.
   * @returns A promise, since the work rests between its steps.
   */
  async optimizeFtsStorage(
    options: { readonly progressCb?: ((progress: OptimizeProgress) => void) | null; readonly vacuum?: boolean } = {},
  ): Promise<OptimizeResult> {
    checkKnownOptions("SessionDB.optimizeFtsStorage", options, ["progressCb", "vacuum"]);
    const { progressCb, vacuum = true } = given(options);
    const report = await optimizeStorage(this.store, {
      vacuum,
      onProgress: ({ phase, done, total = 0 }) => {
        progressCb?.({ phase, percent: percent(done, total), indexed: done, total });
      },
    });
    return report.ok ? { ok: true, vacuumed: report.vacuumed } : { ok: false, vacuumed: null, reason: report.reason };
  }

  /** A message with its neighbours, and how its session begins and ends; nothing where it is of another session. */
  getAnchoredView(sessionId: string, aroundMessageId: number, options?: AnchoredViewOptions): AnchoredView;
  getAnchoredView(
    sessionId: string,
    aroundMessageId: number,
    window?: number,
    bookend?: number,
    keepRoles?: readonly string[] | null,
  ): AnchoredView;
  getAnchoredView(sessionId: string, aroundMessageId: number, ...args: readonly unknown[]): AnchoredView {
    const given: AnchoredViewOptions = callArguments("SessionDB.getAnchoredView", args, VIEW_NAMES);
    const { keepRoles: roles, ...sizes } = given;
    const options = { ...sizes, sessionId, ...(roles !== undefined && { roles }) };
    const view = this.store.messages.anchored(aroundMessageId, options);
    return this.row({
      ...view,
      window: this.rows(view.window),
      bookendStart: this.rows(view.bookendStart),
      bookendEnd: this.rows(view.bookendEnd),
    });
  }

  /** What the user said last, newest first: a line of each. */
  listRecentUserMessages(sessionId: string, options?: RecentOptions): UserTurn[];
  listRecentUserMessages(sessionId: string, limit?: number, includeInactive?: boolean): UserTurn[];
  listRecentUserMessages(sessionId: string, ...args: readonly unknown[]): UserTurn[] {
    const what = "SessionDB.listRecentUserMessages";
    const options = given(callArguments(what, args, ["limit", "includeInactive"]) as RecentOptions);
    const { limit = RECENT } = options;
    const includeInactive = flagOf(`${what}: includeInactive`, options.includeInactive);
    const { messages } = this.store;
    return this.rows(ofSession(() => messages.recentUserTurns(sessionId, limit, { includeInactive }), []));
  }

  /**
   * Messages that answer a query, with their neighbours.
   *
   * @throws TypeError for a wrong type, RangeError for an unknown field.
   */
  searchMessages(query: string | null, options?: SearchMessagesOptions): Partial<SearchHit>[];
  searchMessages(
    query: string | null,
    sourceFilter?: readonly string[] | null,
    excludeSources?: readonly string[] | null,
    roleFilter?: readonly string[] | null,
    limit?: number | null,
    offset?: number | null,
    sort?: SearchMessagesOptions["sort"],
    includeInactive?: boolean | null,
    fields?: readonly string[] | null,
  ): Partial<SearchHit>[];
  searchMessages(query: string | null, ...args: readonly unknown[]): Partial<SearchHit>[] {
    const options = searchOptions(callArguments("SessionDB.searchMessages", args, SEARCH_NAMES));
    const { hits } = searchMessages(this.store, query, options);
    return this.rows(hits.map((hit) => (this.peerRows ? peerHit(hit) : hit)));
  }

  /** Merges each search index into one segment. It changes no result. @returns How many indexes there are. */
  optimizeFts(): number {
    const { capabilities } = this.store.info();
    const tables = this.store.read((r) => mergeableTables(r, capabilities));
    for (const table of tables) {
      const steps = mergeIndexWhole((fn) => this.store.write("merge a search index", fn), table, MERGE_PAGES);
      while (steps.next().done !== true);
    }
    return tables.length;
  }

  /**
   * Builds the search indexes anew from the messages.
   *
   * @returns A promise, since the work rests between its steps: how many were built; 0 when it was not possible now.
   */
  async rebuildFts(): Promise<number> {
    const report = await rebuildIndexes(this.store);
    return report.ok ? report.indexes.length : 0;
  }
}
