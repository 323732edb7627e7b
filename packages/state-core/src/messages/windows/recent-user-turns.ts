import type { Reader } from "@hermes/state-schema";
import { checkLimit } from "../../codec/check-limit.js";
import { contentText } from "../../codec/content-text.js";
import { pythonStrip } from "../../codec/python-strip.js";
import { checkKnownOptions } from "../../config/check-known-options.js";
import { typedText } from "../../sessions/list/preview.js";
import { MESSAGE_DECODER } from "../message-decoder.js";
import type { MessageRow } from "../message-row.js";
import { isHandoff } from "./is-handoff.js";
import { scanNewest } from "./scan-newest.js";

/** Something the user said, as a line to choose from. */
export interface UserTurn {
  readonly id: number;
  /** REAL seconds since the epoch. */
  readonly timestampSeconds: number | undefined;
  /** One line, at most 80 characters. */
  readonly preview: string;
}

/** Which turns. */
export interface UserTurnOptions {
  /** Also what was rewound or compacted. */
  readonly includeInactive?: boolean;
}

const KNOWN: readonly (keyof UserTurnOptions)[] = ["includeInactive"];
const MAX_LIMIT = 10_000;
const SHOWN = 80;
const CUT = 77;

/** Rows that the program shows in another way were not typed, but for what was thrown in while it worked. */
const selectUserRows = (scope: string): string => `
  SELECT ${MESSAGE_DECODER.select("m")} FROM messages AS m
  WHERE m.session_id = ? AND m.id < ? AND m.role = 'user' AND COALESCE(m.display_kind, '') IN ('', 'steer') AND ${scope}
  ORDER BY m.id DESC LIMIT ?`;

const LIVE_USER_ROWS = selectUserRows("COALESCE(m.active, 1) = 1");
const ALL_USER_ROWS = selectUserRows("1");

function preview({ content }: MessageRow): string {
  const text = contentText(content);
  const said = Array.isArray(content) ? text || "[multimodal content]" : typedText(text);
  const line = Array.from(pythonStrip(said.replace(/\s+/gu, " ")));
  return line.length > SHOWN ? `${line.slice(0, CUT).join("")}...` : line.join("");
}

/**
 * What the user said last, newest first. What compactions wrote in the user's name is skipped, however much of it there
 * is, so that the count is the one an undo of so many turns means (SEA-14).
 *
 * @throws TypeError for an unknown option, RangeError for an impossible limit.
 */
export function recentUserTurns(
  r: Reader,
  sessionId: string,
  limit: number,
  options: UserTurnOptions,
): readonly UserTurn[] {
  checkKnownOptions("messages.recentUserTurns", options, KNOWN);
  checkLimit("messages.recentUserTurns", limit, MAX_LIMIT);
  const sql = options.includeInactive ? ALL_USER_ROWS : LIVE_USER_ROWS;
  const rows = scanNewest(r, sql, [sessionId], limit, (row) => !isHandoff(row));
  return rows.map((row) => ({ id: row.id, timestampSeconds: row.timestampSeconds, preview: preview(row) }));
}
