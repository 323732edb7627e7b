import { SCHEMA_VERSION } from "@hermes/state-schema";
import type { ExportCodec } from "../export/export-codec.js";
import type { SessionDocument } from "../export/session-document.js";
import { CHILD_TABLES } from "../rows/entities.js";
import type { ChildEntity } from "../rows/entities.js";
import { LongText } from "../rows/long-text.js";
import type { PiecedRow } from "../rows/long-text.js";
import type { RawRow } from "../rows/raw-row.js";
import type { StoreShape } from "../rows/read-session.js";
import type { TableShape } from "../rows/table-shape.js";
import { cellToJson, rowToJson } from "./cell-json.js";
import { STATE_JSONL_FORMAT, STATE_JSONL_VERSION } from "./records.js";
import type { ChildRecord, FooterRecord, HeaderRecord, SessionRecord } from "./records.js";

function line(record: HeaderRecord | SessionRecord | ChildRecord | FooterRecord): string {
  return `${JSON.stringify(record)}\n`;
}

function declarations(shape: TableShape, without: string): Record<string, string> {
  const kept = shape.columns.filter((column) => column.name !== without);
  return Object.fromEntries(kept.map((column) => [column.name, column.declaration]));
}

function withoutColumn(row: RawRow, name: string): RawRow {
  const { [name]: _left, ...rest } = row;
  return rest;
}

function header(shape: StoreShape): HeaderRecord {
  const columns: Record<string, Record<string, string>> = { session: declarations(shape.session, "id") };
  for (const { entity } of CHILD_TABLES) {
    const child = shape.children[entity];
    if (child) columns[entity] = declarations(child, "session_id");
  }
  return {
    type: "header",
    format: STATE_JSONL_FORMAT,
    version: STATE_JSONL_VERSION,
    schemaVersion: SCHEMA_VERSION,
    columns,
  };
}

function sessionRecord(document: SessionDocument): SessionRecord {
  const { id, counts, prompts } = document;
  const row = rowToJson(withoutColumn(document.session, "id"));
  return { type: "session", id, counts, ...(Object.keys(prompts).length > 0 && { prompts }), row };
}

function* childLines(document: SessionDocument, entity: ChildEntity): Generator<string> {
  for (const row of document.piecedRows?.(entity) ?? document.rows(entity)) {
    if (isWhole(row))
      yield line({ type: entity, session: document.id, row: rowToJson(withoutColumn(row, "session_id")) });
    else yield* piecedLine(entity, document.id, row);
  }
}

function isWhole(row: PiecedRow): row is RawRow {
  for (const name in row) if (row[name] instanceof LongText) return false;
  return true;
}

/** What {@link line} makes of a row, piece by piece. */
function* piecedLine(type: ChildEntity, session: string, row: PiecedRow): Generator<string> {
  yield `{"type":${JSON.stringify(type)},"session":${JSON.stringify(session)},"row":{`;
  let comma = "";
  for (const [name, cell] of Object.entries(row)) {
    if (cell === null || name === "session_id") continue;
    yield `${comma}${JSON.stringify(name)}:`;
    if (cell instanceof LongText) yield* piecedText(cell);
    else yield JSON.stringify(cellToJson(cell));
    comma = ",";
  }
  yield "}}\n";
}

function* piecedText(text: LongText): Generator<string> {
  yield '"';
  for (const piece of text.pieces()) yield JSON.stringify(piece).slice(1, -1);
  yield '"';
}

/**
 * This stack's own JSONL: one record per line, lossless, versioned, counted and hashed (POR-01). The bytes depend on
 * the rows alone, so exporting the same rows twice gives the same file.
 */
export const stateJsonlCodec: ExportCodec = {
  format: "jsonl",
  mediaType: "application/x-ndjson",
  extension: ".jsonl",
  losses: [],
  *begin(shape) {
    yield line(header(shape));
  },
  *session(document) {
    yield line(sessionRecord(document));
    for (const { entity } of CHILD_TABLES) yield* childLines(document, entity);
    return {};
  },
  *end({ counts, sha256 }) {
    yield line({ type: "footer", counts, sha256 });
  },
};
