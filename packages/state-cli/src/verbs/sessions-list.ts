import { resolve } from "node:path";
import type { SessionListOptions, SessionSummary, StateStore } from "@hermes/state-core";
import { EXIT } from "../errors/exit-code.js";
import { UsageError } from "../errors/usage-error.js";
import type { Output } from "../output/output.js";
import { present, shortTime } from "../output/present.js";
import { renderTable } from "../output/table.js";
import { openForReading } from "../store/open-store.js";
import type { Verb } from "../verb.js";

/** Options of `sessions list`. */
export interface SessionsListOptions {
  readonly source?: readonly string[];
  readonly excludeSource?: readonly string[];
  readonly workspace?: string;
  readonly archived?: boolean;
  readonly all?: boolean;
  readonly hidden?: boolean;
  readonly children?: boolean;
  readonly limit: number;
  readonly cursor?: string;
  readonly order?: "started" | "active";
}

interface Page {
  readonly sessions: readonly SessionSummary[];
  readonly nextCursor: string | null;
}

/** The options of a listing that are also filters of an export. */
export function filterOf(options: Omit<SessionsListOptions, "limit">): Omit<SessionListOptions, "limit"> {
  const { source, excludeSource, workspace, archived, all, hidden, children } = options;
  if (archived && all)
    throw new UsageError("--archived and --all exclude each other: --all shows archived sessions too.");
  return {
    ...(source && { sources: source }),
    ...(excludeSource && { excludeSources: excludeSource }),
    ...(workspace !== undefined && { cwdPrefix: resolve(workspace) }),
    ...(archived && { archived: "only" as const }),
    ...(all && { archived: "include" as const }),
    ...(hidden && { hidden: "include" as const }),
    ...(children && { includeChildren: true }),
  };
}

function readPage(store: StateStore, options: SessionsListOptions): Page {
  const { limit, cursor, order } = options;
  const { sessions, nextCursor } = store.sessions.list({
    ...filterOf(options),
    limit,
    ...(cursor !== undefined && { cursor }),
    ...(order && { order }),
  });
  return { sessions, nextCursor: nextCursor ?? null };
}

function tableText(output: Output, { sessions, nextCursor }: Page): string {
  if (sessions.length === 0) return "No sessions found.";
  const titled = sessions.some(({ title }) => title);
  const columns = [
    ...(titled ? [{ title: "Title", shrinkTo: 12 }] : []),
    { title: "Preview", shrinkTo: 12 },
    { title: "Messages", align: "right" as const },
    { title: "Last active" },
    { title: "Source", shrinkTo: 6 },
    { title: "ID", shrinkTo: 24 },
  ];
  const rows = sessions.map((session) => [
    ...(titled ? [session.title ?? ""] : []),
    session.preview,
    String(session.messageCount ?? "?"),
    shortTime(session.lastActiveSeconds),
    session.source ?? "?",
    session.id,
  ]);
  const more = nextCursor === null ? "" : `\n\nThere are more: --cursor ${nextCursor}, or a larger --limit.`;
  return renderTable(output, columns, rows) + more;
}

/** Names the cells that could not be read, so that nobody takes "unknown" for an answer (P28). */
function warnOfDamage(output: Output, sessions: readonly SessionSummary[]): void {
  for (const { id, damaged } of sessions) {
    if (damaged.length > 0)
      output.notice(`warning: session ${JSON.stringify(id)} has unreadable values: ${damaged.join(", ")}`);
  }
}

/** Lists conversations, newest first. */
export const sessionsList: Verb<SessionsListOptions> = async (context, options) => {
  const { output } = context;
  using store = openForReading(context);
  const page = store ? readPage(store, options) : { sessions: [], nextCursor: null };
  warnOfDamage(output, page.sessions);
  if (output.mode === "json") await output.json(present(page));
  else if (output.mode === "jsonl") for (const session of page.sessions) await output.jsonl(present(session));
  else await output.text(tableText(output, page));
  return EXIT.done;
};
