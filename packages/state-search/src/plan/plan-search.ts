import { FTS_TABLE, type IndexHalf, type IndexState } from "@hermes/state-schema";
import type { ReadReason, SearchRoute } from "../answer/search-answer.js";
import { compileMatch } from "../compile/compile-match.js";
import { compilePrefilter } from "../compile/compile-prefilter.js";
import { compileTrigram } from "../compile/compile-trigram.js";
import { trigramIrregular, wordIrregular } from "../compile/irregular-rows.js";
import { allSql, type SqlCondition } from "../compile/sql-condition.js";
import type { QueryNode } from "../language/query.js";

/** A question to an index. */
export interface IndexQuestion {
  readonly table: string;
  readonly match: string;
}

/**
 * How a query is answered: first what an index names, if one can, then the messages that only reading tells about.
 * Every message that answers the query is named by the index or fulfils `read`.
 */
export interface SearchPlan {
  readonly route: SearchRoute;
  readonly index: IndexQuestion | undefined;
  /** A condition on `messages AS m`. */
  readonly read: SqlCondition;
  readonly readBecause: ReadReason | undefined;
}

/** Layouts whose indexes hold text, tool names and tool calls of every message. */
const COMPLETE_LAYOUTS: ReadonlySet<unknown> = new Set([0, 1, 2, 3]);

/** The plan that depends on no index. */
export function scanPlan(root: QueryNode, readBecause: ReadReason): SearchPlan {
  return { route: "scan", index: undefined, read: compilePrefilter(root), readBecause };
}

function usable(state: IndexState, half: IndexHalf): boolean {
  return COMPLETE_LAYOUTS.has(state.layout) && half.present && half.triggers && half.readable;
}

/**
 * Chooses the route for a query in a state of the index.
 *
 * @param wholeToolOutput - Tool output counts beyond its indexed prefix.
 */
export function planSearch(root: QueryNode, state: IndexState, wholeToolOutput: boolean): SearchPlan {
  if (state.stale) return scanPlan(root, "stale-index");
  const { pending } = state;
  const readBecause = pending && "pending-index";
  const prefilter = compilePrefilter(root);
  const word = usable(state, state.word) ? compileMatch(root) : undefined;
  if (typeof word === "object") {
    const index = { table: FTS_TABLE.word, match: word.match };
    const read = allSql([prefilter, wordIrregular(pending, wholeToolOutput)]);
    return { route: "word", index, read, readBecause };
  }
  const match = usable(state, state.trigram) ? compileTrigram(root) : undefined;
  if (match !== undefined) {
    const index = { table: FTS_TABLE.trigram, match };
    return { route: "trigram", index, read: allSql([prefilter, trigramIrregular(pending)]), readBecause };
  }
  return scanPlan(root, word === undefined && !usable(state, state.trigram) ? "no-index" : "not-indexed");
}
