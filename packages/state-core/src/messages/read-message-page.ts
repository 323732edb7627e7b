import type { Reader } from "@hermes/state-schema";
import { checkKnownOptions } from "../config/check-known-options.js";
import { checkChoice } from "../codec/check-choice.js";
import { checkLimit } from "../codec/check-limit.js";
import { badCursor } from "../codec/cursor.js";
import { MESSAGE_DECODER } from "./message-decoder.js";
import { MESSAGE_SCOPES } from "./message-page.js";
import type { MessagePage, MessagePageOptions } from "./message-page.js";
import { selectPageSql } from "./message-queries.js";

const KNOWN: readonly (keyof MessagePageOptions)[] = ["limit", "cursor", "order", "include"];
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;

function startOf(cursor: string | undefined, order: "oldest" | "newest"): number {
  if (cursor === undefined) return order === "oldest" ? -1 : Number.MAX_SAFE_INTEGER;
  const id = /^\d{1,16}$/.test(cursor) ? Number(cursor) : NaN;
  if (!Number.isSafeInteger(id)) throw badCursor("messages.page", cursor);
  return id;
}

/** Reads one page; the cursor is the place of its last row, so rows added meanwhile neither repeat nor hide any. */
export function readMessagePage(r: Reader, sessionId: string, options: MessagePageOptions): MessagePage {
  checkKnownOptions("messages.page", options, KNOWN);
  const order = checkChoice("messages.page: order", options.order ?? "oldest", ["oldest", "newest"]);
  const include = checkChoice("messages.page: include", options.include ?? "active", MESSAGE_SCOPES);
  const limit = checkLimit("messages.page", options.limit ?? DEFAULT_LIMIT, MAX_LIMIT);
  const params = [sessionId, startOf(options.cursor, order), limit + 1];
  const rows = r.tuples(selectPageSql(include, order), params);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { messages: shown.map((cells) => MESSAGE_DECODER.decode(cells)), nextCursor: last && String(last.at(-1)) };
}
