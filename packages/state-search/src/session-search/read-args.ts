import { checkKnownOptions } from "@hermes/state-core";
import { Refusal } from "./refusal.js";
import type { SessionSearchHost } from "./session-search-host.js";
import { parseSessionLink } from "./session-link.js";

/** What an agent asks for. The mode follows from it: scroll, read, discover, or browse. */
export interface SessionSearchArgs {
  readonly query?: string | null;
  /** Roles, separated by commas. Default user and assistant. */
  readonly role_filter?: string | null;
  /** Sessions, 1 to 10; default 3. */
  readonly limit?: number | null;
  /** Default: the most relevant first. */
  readonly sort?: "newest" | "oldest" | null;
  /** An id, or a link `@session:<profile>/<id>`. */
  readonly session_id?: string | null;
  readonly around_message_id?: number | null;
  /** Messages on each side, 1 to 20; default 5. */
  readonly window?: number | null;
  readonly profile?: string | null;
  /** `adaptive` (default) shows the first result in full and of the others the message that was found. */
  readonly detail?: "adaptive" | "full" | null;
  /** Where a caller is confined to its own conversation: `all` looks beyond it. */
  readonly scope?: "current" | "all" | null;
}

/** Checked arguments. */
export interface SearchArgs {
  readonly query: string;
  readonly roles: readonly string[];
  readonly limit: number;
  readonly sort: "rank" | "newest" | "oldest";
  readonly sessionId: string | undefined;
  readonly anchorId: number | undefined;
  readonly window: number;
  /** Another profile than the store's own. */
  readonly profile: string | undefined;
  readonly full: boolean;
  readonly scope: "current" | "all" | undefined;
}

const KNOWN: readonly (keyof SessionSearchArgs)[] = [
  "query",
  "role_filter",
  "limit",
  "sort",
  "session_id",
  "around_message_id",
  "window",
  "profile",
  "detail",
  "scope",
];
const DEFAULT_ROLES = ["user", "assistant"];
const PROFILE = /^[a-z0-9][a-z0-9_-]{0,63}$/;

type Given = Readonly<Record<string, unknown>>;

function text(given: Given, name: keyof SessionSearchArgs): string {
  const value = given[name] ?? "";
  if (typeof value !== "string") throw new Refusal(`${name} must be text, not ${typeof value}.`);
  return value.trim();
}

/** Models write numbers as text at times. */
function whole(given: Given, name: keyof SessionSearchArgs): number | undefined {
  const value = given[name] ?? "";
  if (value === "") return undefined;
  const number = typeof value === "string" ? Number(value.trim() || Number.NaN) : value;
  if (!Number.isSafeInteger(number)) throw new Refusal(`${name} must be a whole number.`);
  return number as number;
}

function choice<T extends string>(given: Given, name: keyof SessionSearchArgs, words: readonly T[]): T | undefined {
  const value = text(given, name).toLowerCase();
  if (value === "") return undefined;
  const found = words.find((word) => word === value);
  if (found === undefined) throw new Refusal(`${name} must be one of ${words.join(", ")}.`);
  return found;
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, 1), most);
}

function profileOf(named: string, host: SessionSearchHost): string | undefined {
  const name = named.toLowerCase();
  if (name === "" || name === host.profile?.trim().toLowerCase()) return undefined;
  if (!PROFILE.test(name)) throw new Refusal("profile must be a name of letters, digits, - and _.");
  return name;
}

function known(args: unknown): Given {
  try {
    checkKnownOptions("session_search", args, KNOWN);
  } catch (error) {
    throw new Refusal((error as TypeError).message);
  }
  return args as Given;
}

/**
 * Checks what an agent asked for.
 *
 * @throws Refusal that says what is wrong.
 */
export function readArgs(args: SessionSearchArgs, host: SessionSearchHost): SearchArgs {
  const given = known(args);
  const link = parseSessionLink(text(given, "session_id"));
  const roles = text(given, "role_filter").split(",").map((role) => role.trim().toLowerCase()).filter(Boolean);
  return {
    query: text(given, "query"),
    roles: roles.length > 0 ? roles : DEFAULT_ROLES,
    limit: clamp(whole(given, "limit") ?? 3, 10),
    sort: choice(given, "sort", ["rank", "newest", "oldest"]) ?? "rank",
    sessionId: link.sessionId || undefined,
    anchorId: whole(given, "around_message_id"),
    window: clamp(whole(given, "window") ?? 5, 20),
    profile: profileOf(text(given, "profile") || link.profile, host),
    full: choice(given, "detail", ["adaptive", "full"]) === "full",
    scope: choice(given, "scope", ["current", "all"]),
  };
}
