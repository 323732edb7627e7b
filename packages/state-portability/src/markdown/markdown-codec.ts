import { isoTime } from "@hermes/state-core";
import type { ExportCodec } from "../export/export-codec.js";
import type { SessionDocument } from "../export/session-document.js";
import type { Cell } from "../rows/raw-row.js";
import { lossOf } from "../rows/view-message.js";
import { markdownMessage, oneLine } from "./markdown-message.js";
import { settleMarkdown } from "./settle-markdown.js";

/** Name and version of the layout, in every front matter. */
const MARKDOWN_FORMAT = "hermes-state-markdown/1";

function title(document: SessionDocument): string {
  const text = document.session["title"];
  return settleMarkdown(oneLine(typeof text === "string" && text !== "" ? text : document.id));
}

function frontMatter(document: SessionDocument): string {
  const { session } = document;
  const time = (cell: Cell | undefined): string | null => isoTime(cell) ?? null;
  const fields: Record<string, unknown> = {
    format: MARKDOWN_FORMAT,
    id: document.id,
    title: session["title"] ?? null,
    source: session["source"] ?? null,
    model: session["model"] ?? null,
    cwd: session["cwd"] ?? null,
    parent: session["parent_session_id"] ?? null,
    started: time(session["started_at"]),
    ended: time(session["ended_at"]),
    end_reason: session["end_reason"] ?? null,
    messages: document.counts.message ?? 0,
  };
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${yaml(value)}`);
  return `---\n${lines.join("\n")}\n---\n`;
}

/** JSON text is YAML too, so any title is safe. */
function yaml(value: unknown): string {
  return JSON.stringify(typeof value === "bigint" ? value.toString() : value);
}

/**
 * Markdown to read and to keep: front matter, then every message with an anchor `message-<id>` (POR-04). Messages that
 * a compaction archived stand where they were said.
 */
export const markdownCodec: ExportCodec = {
  format: "md",
  mediaType: "text/markdown",
  extension: ".md",
  losses: [
    "Rewound messages and messages hidden from display are left out.",
    "Images and other parts that are no text are named, not shown.",
    "Token counts, costs, the system prompt and signed reasoning blocks are left out.",
  ],
  begin: () => [],
  *session(document, position) {
    const losses: Record<string, number> = {};
    yield `${position > 0 ? "\n" : ""}${frontMatter(document)}\n# ${title(document)}\n`;
    for (const row of document.rows("message")) {
      const loss = lossOf(row);
      if (loss === undefined) yield `\n${markdownMessage(row)}`;
      else losses[loss] = (losses[loss] ?? 0) + 1;
    }
    return losses;
  },
  end: () => [],
};
