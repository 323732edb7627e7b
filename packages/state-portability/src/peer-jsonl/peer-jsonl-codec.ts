import { decodeContent, decodeDisplayMetadata, decodeToolCalls, parsePythonJson } from "@hermes/state-core";
import type { SqlValue } from "@hermes/state-schema";
import type { ExportCodec, Losses } from "../export/export-codec.js";
import type { SessionDocument } from "../export/session-document.js";
import { RawText } from "../rows/raw-row.js";
import type { Cell, RawRow } from "../rows/raw-row.js";

const CONTENT_PREFIX = "\u0000json:";

/** A cell as the peer's Python prints it; what JSON cannot say becomes null. */
function plain(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return "null";
  if (cell instanceof RawText) return JSON.stringify(Buffer.from(cell.bytes).toString("utf8"));
  if (typeof cell === "bigint") return cell.toString();
  return typeof cell === "string" || typeof cell === "number" ? JSON.stringify(cell) : "null";
}

/**
 * Stored JSON goes into the line as it was spelled, so that no number changes; a line break outside text is just space.
 */
function spliced(text: string): string | undefined {
  try {
    JSON.parse(text);
    return text.replace(/[\r\n]+/g, " ");
  } catch {
    // Python also writes NaN and Infinity, which are no JSON.
  }
  try {
    return JSON.stringify(parsePythonJson(text));
  } catch {
    // Not JSON at all: the caller has another spelling.
    return undefined;
  }
}

function content(cell: Cell | undefined): string {
  if (typeof cell !== "string" || !cell.startsWith(CONTENT_PREFIX)) return plain(cell);
  return spliced(cell.slice(CONTENT_PREFIX.length)) ?? JSON.stringify(decodeContent(cell));
}

function toolCalls(cell: Cell | undefined): string {
  if (typeof cell === "string" && cell.trimStart().startsWith("[")) {
    const text = spliced(cell);
    if (text !== undefined) return text;
  }
  return JSON.stringify(decodeToolCalls(asSqlValue(cell)));
}

function metadata(cell: Cell | undefined): string {
  const isObject = typeof cell === "string" && cell.trimStart().startsWith("{");
  return (isObject ? spliced(cell) : undefined) ?? JSON.stringify(decodeDisplayMetadata(asSqlValue(cell)) ?? null);
}

function asSqlValue(cell: Cell | undefined): SqlValue {
  return cell === undefined || cell instanceof RawText ? null : cell;
}

function members(row: RawRow, special: Readonly<Record<string, (cell: Cell | undefined) => string>>): string {
  return Object.entries(row)
    .map(([name, cell]) => `${JSON.stringify(name)}:${(special[name] ?? plain)(cell)}`)
    .join(",");
}

const MESSAGE_FIELDS = {
  content,
  tool_calls: toolCalls,
  display_metadata: metadata,
};

function resolvedPrompt({ session, prompts }: SessionDocument): Cell {
  const hash = session["system_prompt_hash"];
  return (typeof hash === "string" ? prompts[hash] : undefined) ?? session["system_prompt"] ?? null;
}

/** What the peer's own export leaves out: rows that were summarised away, or taken back. */
function lossOf(row: RawRow): string | undefined {
  if (row["active"] !== 0) return undefined;
  return row["compacted"] === 1 ? "archived" : "rewound";
}

const LOSSES = [
  "Token totals per model are left out; the session's own totals are kept.",
  "Message ids are written but given anew by an import.",
];

function codec(losses: readonly string[], leavesOut: (row: RawRow) => string | undefined): ExportCodec {
  return {
    format: "peer-jsonl",
    mediaType: "application/x-ndjson",
    extension: ".jsonl",
    losses,
    begin: () => [],
    *session(document) {
      const left: Record<string, number> = {};
      const session = { ...document.session, system_prompt: resolvedPrompt(document) };
      yield `{${members(session, {})},"messages":[`;
      let separator = "";
      for (const row of document.rows("message")) {
        const loss = leavesOut(row);
        if (loss === undefined) {
          yield `${separator}{${members(row, MESSAGE_FIELDS)}}`;
          separator = ",";
        } else left[loss] = (left[loss] ?? 0) + 1;
      }
      yield "]}\n";
      return usageLoss(document, left);
    },
    end: () => [],
  };
}

/**
 * The peer's JSONL with every message: one session per line. What a compaction archived, or was taken back, says so in
 * `active` and `compacted`, as its columns do (POR-03).
 */
export const peerJsonlCodec: ExportCodec = codec(
  ["A peer whose import does not look at `active` brings archived and rewound messages back as live ones.", ...LOSSES],
  () => undefined,
);

/** The peer's JSONL as the peer's own export writes it: the active messages alone (POR-03). */
export const peerSubsetCodec: ExportCodec = codec(
  ["Messages archived by compaction and rewound messages are left out, as the peer's own export does.", ...LOSSES],
  lossOf,
);

function usageLoss(document: SessionDocument, losses: Losses): Losses {
  const usage = (document.counts.usage ?? 0) + (document.counts.daily_usage ?? 0);
  return usage > 0 ? { ...losses, usage } : losses;
}
