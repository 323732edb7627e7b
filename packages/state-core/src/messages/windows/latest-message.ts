import type { Reader } from "@hermes/state-schema";
import { checkChoice } from "../../codec/check-choice.js";
import { contentText } from "../../codec/content-text.js";
import { checkKnownOptions } from "../../config/check-known-options.js";
import { MESSAGE_DECODER } from "../message-decoder.js";
import { scanNewest } from "./scan-newest.js";

/** Which message. */
export interface LatestMessageOptions {
  /** Default `user`. */
  readonly role?: "user" | "assistant";
  /** How many such messages to pass over, from the newest on. Default 0. */
  readonly offset?: number;
  /** Only messages that hold words. */
  readonly requireText?: boolean;
}

const KNOWN: readonly (keyof LatestMessageOptions)[] = ["role", "offset", "requireText"];
const MAX_OFFSET = 10_000;

const LIVE_ROWS_OF_ROLE = `
  SELECT ${MESSAGE_DECODER.select("m")} FROM messages AS m
  WHERE m.session_id = ? AND m.role = ? AND m.id < ? AND COALESCE(m.active, 1) = 1
  ORDER BY m.id DESC LIMIT ?`;

/**
 * The newest message of a role that the model sees.
 *
 * @returns Its id; undefined when there are not so many.
 * @throws TypeError for an unknown option, RangeError for an impossible offset.
 */
export function latestMessageId(r: Reader, sessionId: string, options: LatestMessageOptions): number | undefined {
  checkKnownOptions("messages.latestMessageId", options, KNOWN);
  const { role = "user", offset = 0, requireText = false } = options;
  checkChoice("messages.latestMessageId: role", role, ["user", "assistant"]);
  if (!Number.isSafeInteger(offset) || offset < 0 || offset > MAX_OFFSET) {
    throw new RangeError(
      `messages.latestMessageId: offset must be a whole number from 0 to ${MAX_OFFSET}, not ${String(offset)}.`,
    );
  }
  const accept = (row: Parameters<Parameters<typeof scanNewest>[4]>[0]): boolean =>
    !requireText || contentText(row.content).trim() !== "";
  return scanNewest(r, LIVE_ROWS_OF_ROLE, [sessionId, role], offset + 1, accept)[offset]?.id;
}
