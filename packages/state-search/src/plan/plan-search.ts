import { FTS_TABLE, type IndexState } from "@hermes/state-schema";
import type { ReadReason, SearchRoute } from "../answer/search-answer.js";
import { compileMatch } from "../compile/compile-match.js";
import { compilePrefilter } from "../compile/compile-prefilter.js";
import { compileSide } from "../compile/compile-side.js";
import { compileTrigram } from "../compile/compile-trigram.js";
import { trigramIrregular, wordIrregular } from "../compile/irregular-rows.js";
import { allSql, type SqlCondition } from "../compile/sql-condition.js";
import type { QueryNode } from "../language/query.js";
import type { Vouched } from "../side-index/vouch.js";
import { usableHalf } from "./usable-half.js";

/** A question to an index. */
export interface IndexQuestion {
  readonly table: string;
  readonly match: string;
}

/** A question to the side index, and which messages it can speak for. */
export interface SideQuestion {
  readonly match: string;
  readonly vouched: Vouched;
}

/**
 * How a query is answered: first what an index names, if one can, then the messages that only reading tells about.
 * Every message that answers the query is named by the index or by the side index, or fulfils `read`.
 */
export interface SearchPlan {
  readonly route: SearchRoute;
  readonly index: IndexQuestion | undefined;
  /** Names what the index cannot know, among the messages it speaks for; of those, `read` need not be asked. */
  readonly side: SideQuestion | undefined;
  /** A condition on `messages AS m`. */
  readonly read: SqlCondition;
  readonly readBecause: ReadReason | undefined;
}

/** The plan that depends on no index. */
export function scanPlan(root: QueryNode, readBecause: ReadReason): SearchPlan {
  return { route: "scan", index: undefined, side: undefined, read: compilePrefilter(root), readBecause };
}

/** What a plan is made for. */
export interface PlanFacts {
  readonly state: IndexState;
  /** Tool output counts beyond its indexed prefix. */
  readonly wholeToolOutput: boolean;
  /** What the side index can be relied on for now. */
  readonly vouched: Vouched | undefined;
}

/** Chooses the route for a query in a state of the index. */
export function planSearch(root: QueryNode, { state, wholeToolOutput, vouched }: PlanFacts): SearchPlan {
  if (state.stale) return scanPlan(root, "stale-index");
  const { pending } = state;
  const readBecause = pending && "pending-index";
  const prefilter = compilePrefilter(root);
  const match = vouched && compileSide(root);
  const side = vouched && match !== undefined ? { match, vouched } : undefined;
  const word = usableHalf(state, state.word) ? compileMatch(root) : undefined;
  const wordRead = allSql([prefilter, wordIrregular(pending, wholeToolOutput)]);
  if (typeof word === "object") {
    const index = { table: FTS_TABLE.word, match: word.match };
    return { route: "word", index, side, read: wordRead, readBecause };
  }
  const trigram = usableHalf(state, state.trigram) ? compileTrigram(root) : undefined;
  if (trigram !== undefined) {
    const index = { table: FTS_TABLE.trigram, match: trigram };
    return { route: "trigram", index, side, read: allSql([prefilter, trigramIrregular(pending)]), readBecause };
  }
  if (word === "none" && side) return { route: "side", index: undefined, side, read: wordRead, readBecause };
  return scanPlan(root, word === undefined && !usableHalf(state, state.trigram) ? "no-index" : "not-indexed");
}
