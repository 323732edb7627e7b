import { StateError } from "@hermes/state-core";
import type { ImportReader, IncomingRow, IncomingSession, ScannedSession } from "../import/import-reader.js";
import { isBlank, parseLine } from "../import/parse-line.js";
import { MAX_STATE_LINE_BYTES } from "../limits/import-limits.js";
import type { ImportLimits } from "../limits/import-limits.js";
import type { LineReader } from "../lines/line-reader.js";
import type { ChildEntity } from "../rows/entities.js";
import type { RawRow } from "../rows/raw-row.js";
import { decodeRow } from "./decode-row.js";
import { parseRecord } from "./parse-record.js";
import type { ParsedRecord } from "./parse-record.js";
import type { RowJson, SessionRecord } from "./records.js";
import { StateJsonlScan } from "./state-jsonl-scan.js";

/** Opens this stack's own JSONL for an import (POR-01). */
export function stateJsonlReader(lines: LineReader, limits: ImportLimits): ImportReader {
  const scan = new StateJsonlScan(lines, limits);

  function nextRecord(): ParsedRecord {
    let line = lines.next();
    while (line && isBlank(line)) line = lines.next();
    const parsed = line && parseLine(line, MAX_STATE_LINE_BYTES);
    return parseRecord(parsed && "value" in parsed ? parsed.value : undefined);
  }

  function decoded(entity: "session" | ChildEntity, json: RowJson, session: ScannedSession): RawRow {
    const result = decodeRow(entity, json, scan.columns[entity] ?? {});
    if ("message" in result) throw changed(session);
    return result.row;
  }

  function* children(session: ScannedSession, { counts }: SessionRecord): Generator<IncomingRow> {
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    for (let read = 0; read < total; read++) {
      const record = nextRecord();
      if (!("session" in record) || record.session !== session.id) throw changed(session);
      yield { entity: record.type, row: decoded(record.type, record.row, session) };
    }
  }

  function load(session: ScannedSession): IncomingSession {
    lines.seek(session);
    const record = nextRecord();
    if (record.type !== "session" || record.id !== session.id) throw changed(session);
    const row = decoded("session", record.row, session);
    return {
      id: record.id,
      row,
      prompts: record.prompts ?? {},
      messages: session.messages,
      children: children(session, record),
    };
  }

  return { scan: () => scan.run(), columns: () => scan.columns, load };
}

/** What the scan found sound does not change by itself. */
function changed(session: ScannedSession): StateError {
  return new StateError(
    "STATE_E_IMPORT_CHANGED",
    `The file changed while it was read: session ${session.id}, line ${session.number}, differs now. Import it again.`,
    { sessionId: session.id, line: session.number },
  );
}
