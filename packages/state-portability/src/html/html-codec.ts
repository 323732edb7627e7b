import { isoTime } from "@hermes/state-core";
import type { ExportCodec } from "../export/export-codec.js";
import type { SessionDocument } from "../export/session-document.js";
import { cellText, lossOf, viewMessage } from "../rows/view-message.js";
import { escapeHtml } from "./escape-html.js";
import { htmlMessage } from "./html-message.js";
import { PAGE_STYLE } from "./page-style.js";

/** Nothing runs and nothing is fetched, whatever a message says. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="hermes-state-html/1">
<title>Conversations</title>
<style>
${PAGE_STYLE}
</style>
</head>
<body>
<main>
`;

/**
 * One page to read and to print, complete in itself: no script, no address outside of it (POR-04). Messages that a
 * compaction archived stand where they were said.
 */
export const htmlCodec: ExportCodec = {
  format: "html",
  mediaType: "text/html",
  extension: ".html",
  losses: [
    "Rewound messages and messages hidden from display are left out.",
    "Pictures are shown when their bytes are in the message; other parts that are no text are named.",
    "Token counts, costs, the system prompt and signed reasoning blocks are left out.",
  ],
  begin: () => [HEAD],
  *session(document) {
    const losses: Record<string, number> = {};
    yield `<section>\n${header(document)}`;
    for (const row of document.rows("message")) {
      const loss = lossOf(row);
      if (loss === undefined) yield htmlMessage(viewMessage(row));
      else losses[loss] = (losses[loss] ?? 0) + 1;
    }
    yield "</section>\n";
    return losses;
  },
  end: () => ["</main>\n</body>\n</html>\n"],
};

function header(document: SessionDocument): string {
  const { session, id } = document;
  const title = cellText(session["title"]) || id;
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ["Session", id],
    ["Source", cellText(session["source"])],
    ["Model", cellText(session["model"])],
    ["Folder", cellText(session["cwd"])],
    ["Parent", cellText(session["parent_session_id"])],
    ["Started", isoTime(session["started_at"])],
    ["Ended", isoTime(session["ended_at"])],
  ];
  const rows = facts
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value ?? "")}</dd>`);
  return `<header>\n<h1>${escapeHtml(title)}</h1>\n<dl>\n${rows.join("\n")}\n</dl>\n</header>\n`;
}
