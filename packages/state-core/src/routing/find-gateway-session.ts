import type { Reader, SqlValue } from "@hermes/state-schema";
import { isSaneSeconds } from "../codec/seconds.js";
import { walkContinuations } from "../lineage/walk-continuations.js";
import { startedSql } from "../sessions/activity-sql.js";
import { BOUNDARY_END_REASONS, COMPRESSION_END_REASON, RECOVERABLE_END_REASONS } from "../sessions/end-reasons.js";
import { sameAgent } from "../sessions/inherit-from-parent.js";
import { SESSION_DECODER } from "../sessions/session-decoder.js";
import type { SessionRow } from "../sessions/session-row.js";
import type { KeyedPeer, PeerAddress } from "./peer-address.js";

const NEWEST_FIRST = `ORDER BY ${startedSql("s")} DESC, s.id DESC`;

const SELECT_BY_ID = `SELECT ${SESSION_DECODER.select("s")} FROM sessions AS s WHERE s.id = ?`;

const SELECT_OF_KEY = `
  SELECT ${SESSION_DECODER.select("s")} FROM sessions AS s WHERE s.session_key = ? ${NEWEST_FIRST} LIMIT ?`;

const SELECT_NEWEST_PER_KEY = `
  WITH ranked AS (
    SELECT s.id AS id, ROW_NUMBER() OVER (PARTITION BY s.session_key ${NEWEST_FIRST}) AS place
    FROM sessions AS s WHERE s.session_key <> '' AND (? IS NULL OR s.source = ?)
  )
  SELECT ${SESSION_DECODER.select("s")} FROM ranked JOIN sessions AS s ON s.id = ranked.id
  WHERE ranked.place = 1 ${NEWEST_FIRST}`;

const SELECT_LIVE_AT = `
  SELECT s.id AS id, s.session_key AS sessionKey, COALESCE(s.user_id, '') AS userId
  FROM sessions AS s
  WHERE s.source = ? AND s.chat_id = ? AND COALESCE(s.thread_id, '') = ?
    AND s.session_key <> '' AND s.ended_at IS NULL
  ${NEWEST_FIRST}`;

const CANDIDATE = "s.id AS id, s.session_key AS sessionKey, s.ended_at AS endedAt, s.end_reason AS reason";

const SELECT_BY_KEY = `SELECT ${CANDIDATE} FROM sessions AS s WHERE s.session_key = ? AND s.source = ? ${NEWEST_FIRST}`;

const SELECT_BY_ADDRESS = `
  SELECT ${CANDIDATE} FROM sessions AS s
  WHERE s.source = ? AND COALESCE(s.user_id, '') = ? AND s.chat_id = ? AND s.chat_type = ?
    AND COALESCE(s.thread_id, '') = ?
  ${NEWEST_FIRST}`;

const SELECT_CANDIDATES = `
  SELECT ${CANDIDATE}, EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = s.id) AS spoken
  FROM json_each(?) AS wanted JOIN sessions AS s ON s.id = wanted.value ${NEWEST_FIRST}`;

interface Candidate {
  readonly id: string;
  readonly sessionKey: string | null;
  readonly endedAt: SqlValue;
  readonly reason: string | null;
}

function rowOf(r: Reader, id: string): SessionRow | undefined {
  const [cells] = r.tuples(SELECT_BY_ID, [id]);
  return cells && SESSION_DECODER.decode(cells);
}

/**
 * The newest session of every routing key.
 *
 * @param source - Only of this platform; null for all.
 */
export function newestPerKey(r: Reader, source: string | null): SessionRow[] {
  return r.tuples(SELECT_NEWEST_PER_KEY, [source, source]).map((cells) => SESSION_DECODER.decode(cells));
}

/** The sessions of a routing key, of whatever platform, the newest first. */
export function sessionsOfKey(r: Reader, sessionKey: string, limit: number): SessionRow[] {
  return r.tuples(SELECT_OF_KEY, [sessionKey, limit]).map((cells) => SESSION_DECODER.decode(cells));
}

/** A key that names its user routes that user alone. */
function isKeyOf(sessionKey: string, userId: string): boolean {
  return userId !== "" && sessionKey.split(":").includes(userId);
}

/**
 * The live session of a place on a platform. Several people may talk in one place: a session of one of them is never
 * given to another, and to nobody who does not say who they are (COR-36).
 */
export function sessionAt(r: Reader, address: PeerAddress): SessionRow | undefined {
  const { source, chatId, threadId, userId } = address;
  const live = r.all<{ id: string; sessionKey: string; userId: string }>(SELECT_LIVE_AT, [
    source,
    chatId ?? "",
    threadId ?? "",
  ]);
  const [newest, ...others] = live;
  if (!newest) return undefined;
  if (!userId) return new Set(live.map((row) => row.userId)).size === 1 ? rowOf(r, newest.id) : undefined;
  const own = live.find((row) => row.userId === userId);
  if (own) return rowOf(r, own.id);
  const shared = others.length === 0 && !isKeyOf(newest.sessionKey, newest.userId);
  return shared ? rowOf(r, newest.id) : undefined;
}

/** The last moment at which one of these was left for good; what an accident ended before that is history. */
function lastBoundary(candidates: readonly Candidate[]): number {
  const ends = candidates.filter(({ reason }) => BOUNDARY_END_REASONS.has(reason ?? "")).map(({ endedAt }) => endedAt);
  return Math.max(-1, ...ends.filter(isSaneSeconds));
}

/** The sessions where these go on: themselves, or the tips of those that a compaction closed. */
function goingOn(r: Reader, candidates: readonly Candidate[], fits: (sessionKey: string) => boolean): string[] {
  const closed = candidates.filter(({ reason }) => reason === COMPRESSION_END_REASON).map(({ id }) => id);
  const tips = [...walkContinuations(r, closed).values()].map((chain) => chain.at(-1) ?? "");
  const ids = JSON.stringify([...new Set([...candidates.map(({ id }) => id), ...tips])]);
  const all = r.all<Candidate & { spoken: number }>(SELECT_CANDIDATES, [ids]);
  const boundary = lastBoundary(all);
  return all
    .filter(({ spoken, sessionKey }) => spoken === 1 && (!sessionKey || fits(sessionKey)))
    .filter(({ endedAt, reason }) => {
      if (endedAt === null) return true;
      return RECOVERABLE_END_REASONS.has(reason ?? "") && isSaneSeconds(endedAt) && endedAt > boundary;
    })
    .map(({ id }) => id);
}

function byAddress(r: Reader, peer: KeyedPeer): string | undefined {
  const { source, userId, chatId, chatType, threadId, sessionKey } = peer;
  if (!chatId || !chatType) return undefined;
  const found = r.all<Candidate>(SELECT_BY_ADDRESS, [source, userId ?? "", chatId, chatType, threadId ?? ""]);
  const fits = (key: string): boolean => sameAgent(key, sessionKey);
  return goingOn(
    r,
    found.filter((row) => !row.sessionKey || fits(row.sessionKey)),
    fits,
  )[0];
}

/**
 * The session a peer was last in, as after a restart that forgot its route: live, or ended by an accident, with
 * messages. A conversation that was left on purpose does not come back (P18). First by key, then, where the place is
 * known completely, by place.
 */
export function latestForPeer(r: Reader, peer: KeyedPeer): SessionRow | undefined {
  const { sessionKey, source } = peer;
  const keyed = r.all<Candidate>(SELECT_BY_KEY, [sessionKey, source]);
  const id = goingOn(r, keyed, (key) => key === sessionKey)[0] ?? byAddress(r, peer);
  return id === undefined ? undefined : rowOf(r, id);
}
