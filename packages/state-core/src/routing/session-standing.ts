import type { Reader, SqlValue } from "@hermes/state-schema";
import { isSaneSeconds } from "../codec/seconds.js";
import { liveChildren } from "../lineage/live-children.js";
import { walkContinuations } from "../lineage/walk-continuations.js";
import { lastActiveSql } from "../sessions/activity-sql.js";
import { COMPRESSION_END_REASON } from "../sessions/end-reasons.js";

/** How a session stands, for the question whether a peer may go on in it. */
export interface SessionStanding {
  readonly sessionId: string;
  /** `missing`: no row (yet). `closed`: a compaction closed it. */
  readonly state: "missing" | "live" | "ended" | "closed";
  /** Why it ended; null while it is live. */
  readonly endReason: string | null;
  /** REAL seconds; null while it is live, and where it is no sane time. */
  readonly endedAtSeconds: number | null;
  /** The last segment of the conversation; the session itself unless a compaction closed it. */
  readonly tip: string;
  /**
   * Whether the conversation goes on in the tip. A closed session that nothing continues takes messages again (P15);
   * where two live ones continue the same one, nobody may choose (COR-26).
   */
  readonly tipLive: boolean;
  /** Whether the tip holds messages. */
  readonly spoken: boolean;
  /** Whether the user pinned the conversation. */
  readonly pinned: boolean;
  /** REAL seconds of the last message or recorded activity of the tip; null when there is none that is a sane time. */
  readonly activeAtSeconds: number | null;
}

const SELECT_FACTS = `
  SELECT s.id AS id, s.ended_at AS endedAt, s.end_reason AS reason, ${lastActiveSql("s")} AS active,
    s.pinned IS NOT NULL AND s.pinned <> 0 AS pinned,
    EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = s.id) AS spoken
  FROM json_each(?) AS wanted JOIN sessions AS s ON s.id = wanted.value`;

interface Facts {
  readonly id: string;
  readonly endedAt: SqlValue;
  readonly reason: SqlValue;
  readonly active: number | null;
  readonly spoken: number;
  readonly pinned: number;
}

type FactsById = ReadonlyMap<string, Facts>;

function factsOf(r: Reader, ids: readonly string[]): Map<string, Facts> {
  if (ids.length === 0) return new Map();
  return new Map(r.all<Facts & object>(SELECT_FACTS, [JSON.stringify(ids)]).map((facts) => [facts.id, facts]));
}

const isClosed = ({ reason }: Facts): boolean => reason === COMPRESSION_END_REASON;

function missing(sessionId: string): SessionStanding {
  const nothing = { endReason: null, endedAtSeconds: null, tipLive: false, activeAtSeconds: null };
  return { sessionId, state: "missing", tip: sessionId, spoken: false, pinned: false, ...nothing };
}

/** A chain that ends in a closed session ends in an orphan, unless it runs in a ring. */
function goesOn(r: Reader, chain: readonly string[], tip: Facts): boolean {
  if (isClosed(tip)) return walkContinuations(r, [tip.id]).get(tip.id)?.length === 1;
  const last = chain.at(-2);
  return tip.endedAt === null && (last === undefined || liveChildren(r, last).length === 1);
}

function stateOf(facts: Facts): SessionStanding["state"] {
  if (isClosed(facts)) return "closed";
  return facts.endedAt === null ? "live" : "ended";
}

function standingOf(r: Reader, own: Facts, chain: readonly string[], tips: FactsById): SessionStanding {
  const tip = tips.get(chain.at(-1) ?? own.id) ?? own;
  const state = stateOf(own);
  return {
    sessionId: own.id,
    state,
    endReason: typeof own.reason === "string" && state !== "live" ? own.reason : null,
    endedAtSeconds: isSaneSeconds(own.endedAt) ? own.endedAt : null,
    tip: tip.id,
    tipLive: state === "closed" ? goesOn(r, chain, tip) : state === "live",
    spoken: tip.spoken === 1,
    pinned: tip.pinned === 1,
    activeAtSeconds: tip.active,
  };
}

/**
 * How sessions stand, as few queries as there are hops between them and their tips.
 *
 * @param ids - At most as many as one statement is given.
 */
export function sessionStandings(r: Reader, ids: readonly string[]): SessionStanding[] {
  const facts = factsOf(r, ids);
  const chains = walkContinuations(
    r,
    [...facts.values()].filter(isClosed).map(({ id }) => id),
  );
  const tips = factsOf(
    r,
    [...chains.values()].map((chain) => chain.at(-1) ?? ""),
  );
  return ids.map((id) => {
    const own = facts.get(id);
    return own ? standingOf(r, own, chains.get(id) ?? [id], tips) : missing(id);
  });
}
