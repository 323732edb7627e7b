import type { Reader } from "@hermes/state-schema";
import { checkKnownOptions } from "../../config/check-known-options.js";
import { MESSAGE_DECODER } from "../message-decoder.js";
import type { MessageRow } from "../message-row.js";
import { checkWindow, DEFAULT_WINDOW, readAround } from "./around.js";
import type { MessageWindow } from "./around.js";

/** What to show around a message. */
export interface AnchoredOptions {
  /** Neighbours on each side. Default 5. */
  readonly window?: number;
  /** Messages from each end of the session. Default 3. */
  readonly bookend?: number;
  /** Roles to keep; the message itself is always kept. Default user and assistant; null keeps all. */
  readonly roles?: readonly string[] | null;
  /** The session the message must be of. */
  readonly sessionId?: string;
}

/** A message, its neighbours, and how the session begins and ends: goal, hit and resolution at one glance. */
export interface AnchoredView extends MessageWindow {
  /** The first messages that hold something, when the window does not reach them. */
  readonly bookendStart: readonly MessageRow[];
  readonly bookendEnd: readonly MessageRow[];
}

const KNOWN: readonly (keyof AnchoredOptions)[] = ["window", "bookend", "roles", "sessionId"];
const DEFAULT_BOOKEND = 3;
const DEFAULT_ROLES = ["user", "assistant"];

const selectEnd = (beyond: "<" | ">", direction: "ASC" | "DESC"): string => `
  SELECT ${MESSAGE_DECODER.select("m")} FROM messages AS m
  WHERE m.session_id = ? AND m.id ${beyond} ? AND m.content <> ''
    AND (? OR m.role IN (SELECT value FROM json_each(?)))
  ORDER BY m.id ${direction} LIMIT ?`;

const START = selectEnd("<", "ASC");
const END = selectEnd(">", "DESC");

function checkRoles(roles: unknown): readonly string[] | null {
  if (roles === null) return null;
  if (Array.isArray(roles) && roles.every((role) => typeof role === "string")) return roles;
  throw new TypeError("messages.anchored: roles must be a list of strings, or null for all.");
}

/**
 * A message with its neighbours and both ends of its session, whatever state the rows are in.
 *
 * @throws TypeError for an unknown option, RangeError for an impossible size.
 */
export function readAnchored(r: Reader, id: number, options: AnchoredOptions): AnchoredView {
  checkKnownOptions("messages.anchored", options, KNOWN);
  const { window = DEFAULT_WINDOW, bookend = DEFAULT_BOOKEND, sessionId } = options;
  const roles = checkRoles(options.roles === undefined ? DEFAULT_ROLES : options.roles);
  const ends = checkWindow("messages.anchored: bookend", bookend);
  const around = readAround(r, id, checkWindow("messages.anchored: window", window), sessionId);
  const [first, last] = [around.window[0], around.window.at(-1)];
  if (!first || !last) return { ...around, bookendStart: [], bookendEnd: [] };
  const read = (sql: string, edge: MessageRow): MessageRow[] =>
    r
      .tuples(sql, [first.sessionId, edge.id, roles === null ? 1 : 0, JSON.stringify(roles ?? []), ends])
      .map((cells) => MESSAGE_DECODER.decode(cells));
  return {
    ...around,
    window: around.window.filter((row) => row.id === id || roles === null || roles.includes(row.role)),
    bookendStart: read(START, first),
    bookendEnd: read(END, last).reverse(),
  };
}
