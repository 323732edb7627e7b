import type { Reader } from "@hermes/state-schema";
import { checkKnownOptions } from "../config/check-known-options.js";
import { checkChoice } from "../codec/check-choice.js";
import { checkLimit } from "../codec/check-limit.js";
import { badCursor } from "../codec/cursor.js";
import { readShownCopies } from "./display/shown-copies.js";
import type { ShownCopies } from "./display/shown-copies.js";
import { MESSAGE_DECODER } from "./message-decoder.js";
import { MESSAGE_SCOPES } from "./message-page.js";
import type { MessagePage, MessagePageOptions } from "./message-page.js";
import { SELECT_MESSAGES, selectPageSql } from "./message-queries.js";
import type { MessageRow } from "./message-row.js";

const KNOWN: readonly (keyof MessagePageOptions)[] = ["limit", "cursor", "order", "include"];
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;

function startOf(cursor: string | undefined, order: "oldest" | "newest"): number {
  if (cursor === undefined) return order === "oldest" ? -1 : Number.MAX_SAFE_INTEGER;
  const id = /^\d{1,16}$/.test(cursor) ? Number(cursor) : NaN;
  if (!Number.isSafeInteger(id)) throw badCursor("messages.page", cursor);
  return id;
}

const NO_COPIES: ShownCopies = { left: [], standIns: new Map() };

/** The rows that stand for others on a page, by the row whose place they take. */
function readStandIns(r: Reader, places: readonly number[], { standIns }: ShownCopies): Map<number, MessageRow> {
  const wanted = places.filter((id) => standIns.has(id));
  if (wanted.length === 0) return new Map();
  const cells = r.tuples(SELECT_MESSAGES, [JSON.stringify(wanted.map((id) => standIns.get(id)))]);
  const rows = new Map(cells.map((read) => MESSAGE_DECODER.decode(read)).map((row) => [row.id, row]));
  return new Map(wanted.flatMap((id) => {
    const row = rows.get(standIns.get(id) ?? 0);
    return row ? [[id, row]] : [];
  }));
}

/** Reads one page; the cursor is the place of its last row, so rows added meanwhile neither repeat nor hide any. */
export function readMessagePage(r: Reader, sessionId: string, options: MessagePageOptions): MessagePage {
  checkKnownOptions("messages.page", options, KNOWN);
  const order = checkChoice("messages.page: order", options.order ?? "oldest", ["oldest", "newest"]);
  const include = checkChoice("messages.page: include", options.include ?? "active", MESSAGE_SCOPES);
  const limit = checkLimit("messages.page", options.limit ?? DEFAULT_LIMIT, MAX_LIMIT);
  const copies = include === "visible" ? readShownCopies(r, sessionId) : NO_COPIES;
  const leftOut = include === "visible" ? [JSON.stringify(copies.left)] : [];
  const params = [sessionId, startOf(options.cursor, order), ...leftOut, limit + 1];
  const rows = r.tuples(selectPageSql(include, order), params).map((cells) => MESSAGE_DECODER.decode(cells));
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const standIns = readStandIns(r, page.map((row) => row.id), copies);
  return { messages: page.map((row) => standIns.get(row.id) ?? row), nextCursor: last && String(last.id) };
}
