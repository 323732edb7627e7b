import type { SessionSummary } from "@hermes/state-core";
import { EXIT } from "../errors/exit-code.js";
import { selectionOf } from "../options/selection-options.js";
import type { SelectionOptions } from "../options/selection-options.js";
import type { Output } from "../output/output.js";
import { present, shortTime } from "../output/present.js";
import { renderTable } from "../output/table.js";
import { listSelected } from "../store/list-selected.js";
import type { PageOptions, SelectedPage } from "../store/list-selected.js";
import { openForReading } from "../store/open-store.js";
import type { Verb } from "../verb.js";

/** Options of `sessions list`. */
export interface SessionsListOptions extends SelectionOptions {
  readonly limit: number;
  readonly cursor?: string;
  readonly order?: "started" | "active";
}

function tableText(output: Output, { sessions, nextCursor }: SelectedPage): string {
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
  const selection = selectionOf(options);
  const { limit, cursor, order } = options;
  const place: PageOptions = { limit, ...(cursor !== undefined && { cursor }), ...(order && { order }) };
  using store = openForReading(context);
  const page: SelectedPage = store ? listSelected(store, selection, place) : { sessions: [], nextCursor: null };
  warnOfDamage(output, page.sessions);
  if (output.mode === "json") await output.json(present(page));
  else if (output.mode === "jsonl") for (const session of page.sessions) await output.jsonl(present(session));
  else await output.text(tableText(output, page));
  return EXIT.done;
};
