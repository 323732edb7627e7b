import type { Reader, SqlValue } from "@hermes/state-schema";
import { isSaneSeconds } from "../codec/seconds.js";
import { activitySql } from "../sessions/activity-sql.js";
import { chunksOf } from "./chunks-of.js";

/** A session that a prune would delete: enough of it to recognise it. A cell that cannot be read is undefined. */
export interface RetentionCandidate {
  readonly id: string;
  readonly source: string | undefined;
  readonly title: string | undefined;
  /** REAL seconds. */
  readonly startedAtSeconds: number | undefined;
  /** REAL seconds. */
  readonly lastActiveSeconds: number | undefined;
  readonly endReason: string | undefined;
  /** Messages that the session counts, without those a compaction archived. */
  readonly messageCount: number | undefined;
}

const DETAILS = `
  SELECT s.id, s.source, s.title, s.started_at, ${activitySql("s")}, s.end_reason, s.message_count
  FROM sessions AS s WHERE s.id IN (SELECT value FROM json_each(?))`;

type Cells = readonly [id: string, ...rest: SqlValue[]];

const text = (cell: unknown): string | undefined => (typeof cell === "string" ? cell : undefined);
const moment = (cell: unknown): number | undefined => (isSaneSeconds(cell) ? cell : undefined);

function toCandidate([id, source, title, started, active, reason, messages]: Cells): RetentionCandidate {
  return {
    id,
    source: text(source),
    title: text(title),
    startedAtSeconds: moment(started),
    lastActiveSeconds: moment(active),
    endReason: text(reason),
    messageCount: typeof messages === "number" ? messages : undefined,
  };
}

/** Describes sessions in the order of their ids. */
export function describeCandidates(r: Reader, ids: readonly string[]): RetentionCandidate[] {
  const found = new Map<string, RetentionCandidate>();
  for (const chunk of chunksOf(ids)) {
    for (const cells of r.tuples<Cells>(DETAILS, [JSON.stringify(chunk)])) found.set(cells[0], toCandidate(cells));
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}
