import { createHash } from "node:crypto";
import type { Hash } from "node:crypto";
import { StateError } from "@hermes/state-core";
import type { StateErrorCode } from "@hermes/state-core";
import type {
  ImportProblem,
  ImportReader,
  IncomingColumns,
  IncomingRow,
  IncomingSession,
  ScanEvent,
  ScannedSession,
} from "../import/import-reader.js";
import { isBlank, parseLine } from "../import/parse-line.js";
import { exceeds, MAX_STATE_LINE_BYTES } from "../limits/import-limits.js";
import type { ImportLimits } from "../limits/import-limits.js";
import type { LineReader, SourceLine } from "../lines/line-reader.js";
import type { ChildEntity } from "../rows/entities.js";
import { decodeRow } from "./decode-row.js";
import { parseRecord } from "./parse-record.js";
import type { ParsedRecord } from "./parse-record.js";
import type { ChildRecord, FooterRecord, HeaderRecord, SessionRecord } from "./records.js";

type Counts = Record<"session" | ChildEntity, number>;

const NO_COUNTS: Counts = { session: 0, message: 0, usage: 0, daily_usage: 0 };

/** The session whose records are being scanned. */
interface OpenSession {
  readonly scanned: ScannedSession;
  readonly record: SessionRecord;
  readonly seen: Counts;
  readonly bytes: { total: number };
  whole: boolean;
}

class StateJsonlReader implements ImportReader {
  readonly #hash: Hash = createHash("sha256");
  readonly #counts: Counts = { ...NO_COUNTS };
  readonly #ids = new Set<string>();
  #header: HeaderRecord | undefined;
  #open: OpenSession | undefined;
  #footer = false;
  #total = 0;

  constructor(
    private readonly lines: LineReader,
    private readonly limits: ImportLimits,
  ) {}

  columns(): IncomingColumns {
    return this.#header?.columns ?? {};
  }

  *scan(): Generator<ScanEvent, void> {
    let last: SourceLine | undefined;
    let cut = false;
    for (let line = this.lines.next(); line; line = this.lines.next()) {
      last = line;
      yield { kind: "step" };
      for (const event of this.#line(line)) {
        if (event.kind === "problem" && event.problem.code === "STATE_E_IMPORT_TRUNCATED") cut = true;
        yield event;
      }
      this.#hash.update(line.bytes ?? "");
      if (line.terminated) this.#hash.update("\n");
    }
    yield* this.#close(last?.number ?? 1);
    if (!this.#footer && !cut) {
      const message = "the file ends without its footer, so records may be missing: it was cut";
      yield problem({ line: last?.number ?? 1, code: "STATE_E_IMPORT_TRUNCATED", message });
    }
  }

  load(session: ScannedSession): IncomingSession {
    this.lines.seek(session);
    const record = this.#again();
    if (record.type !== "session" || record.id !== session.id) throw changed(session);
    const { row } = this.#decoded("session", record.row, session);
    return { id: record.id, row, prompts: record.prompts ?? {}, children: this.#children(session, record) };
  }

  *#children(session: ScannedSession, record: SessionRecord): Generator<IncomingRow> {
    for (let left = Object.values(record.counts).reduce((sum, count) => sum + count, 0); left > 0; left--) {
      const child = this.#again();
      if (!("session" in child) || child.session !== session.id) throw changed(session);
      yield { entity: child.type, row: this.#decoded(child.type, child.row, session).row };
    }
  }

  #again(): ParsedRecord {
    let line = this.lines.next();
    while (line && isBlank(line)) line = this.lines.next();
    const parsed = line && parseLine(line, MAX_STATE_LINE_BYTES);
    return parseRecord(parsed && "value" in parsed ? parsed.value : undefined);
  }

  #decoded(entity: "session" | ChildEntity, json: SessionRecord["row"], session: ScannedSession): { row: IncomingRow["row"] } {
    const decoded = decodeRow(entity, json, this.columns()[entity] ?? {});
    if ("message" in decoded) throw changed(session);
    return decoded;
  }

  *#line(line: SourceLine): Generator<ScanEvent, void> {
    this.#total += line.length;
    if (isBlank(line)) return;
    const parsed = parseLine(line, MAX_STATE_LINE_BYTES);
    if ("problem" in parsed) {
      yield* this.#refuse(line, parsed.problem.code, parsed.problem.message);
      return;
    }
    const record = parseRecord(parsed.value);
    if (record.type === "header") yield* this.#begin(line, record);
    else if (!this.#header) throw notThisFormat(record);
    else if (record.type === "problem") yield* this.#refuse(line, "STATE_E_IMPORT_SHAPE", record.message);
    else if (this.#footer) yield* this.#refuse(line, "STATE_E_IMPORT_SHAPE", "a record after the footer");
    else if (record.type === "session") yield* this.#session(line, record);
    else if (record.type === "footer") yield* this.#end(line, record);
    else yield* this.#child(line, record);
  }

  *#begin(line: SourceLine, record: HeaderRecord): Generator<ScanEvent, void> {
    if (this.#header) yield* this.#refuse(line, "STATE_E_IMPORT_SHAPE", "a second header");
    else this.#header = record;
  }

  *#session(line: SourceLine, record: SessionRecord): Generator<ScanEvent, void> {
    yield* this.#close(line.number);
    const scanned = {
      id: record.id,
      messages: record.counts.message ?? 0,
      offset: line.offset,
      number: line.number,
    };
    this.#open = { scanned, record, seen: { ...NO_COUNTS }, bytes: { total: line.length }, whole: true };
    this.#counts.session += 1;
    if (this.#ids.has(record.id)) yield* this.#refuse(line, "STATE_E_IMPORT_DUPLICATE", "the file has this session twice");
    this.#ids.add(record.id);
    const decoded = decodeRow("session", record.row, this.columns().session ?? {});
    if ("message" in decoded) yield* this.#refuse(line, "STATE_E_IMPORT_SHAPE", decoded.message);
    if (exceeds(this.#counts.session, this.limits.maxSessions)) {
      yield* this.#refuse(line, "STATE_E_IMPORT_LIMIT", `more than ${this.limits.maxSessions} sessions`);
    }
  }

  *#child(line: SourceLine, record: ChildRecord): Generator<ScanEvent, void> {
    const open = this.#open;
    this.#counts[record.type] += 1;
    if (!open || open.record.id !== record.session) {
      const message = `a ${record.type} record of session ${JSON.stringify(record.session)} outside of that session`;
      yield problem({ line: line.number, sessionId: record.session, code: "STATE_E_IMPORT_SHAPE", message });
      if (open) open.whole = false;
      return;
    }
    open.seen[record.type] += 1;
    open.bytes.total += line.length;
    const decoded = decodeRow(record.type, record.row, this.columns()[record.type] ?? {});
    if ("message" in decoded) yield* this.#refuse(line, "STATE_E_IMPORT_SHAPE", decoded.message);
    const reason = this.#limitReached(open);
    if (reason) yield* this.#refuse(line, "STATE_E_IMPORT_LIMIT", reason);
  }

  #limitReached(open: OpenSession): string | undefined {
    const { limits } = this;
    if (!open.whole) return undefined;
    if (exceeds(open.seen.message, limits.maxMessagesPerSession)) return `more than ${limits.maxMessagesPerSession} messages`;
    if (exceeds(open.bytes.total, limits.maxSessionBytes)) return `more than ${limits.maxSessionBytes} bytes in one session`;
    if (exceeds(this.#counts.message, limits.maxMessages)) return `more than ${limits.maxMessages} messages in one file`;
    if (exceeds(this.#total, limits.maxTotalBytes)) return `more than ${limits.maxTotalBytes} bytes in one file`;
    return undefined;
  }

  *#end(line: SourceLine, footer: FooterRecord): Generator<ScanEvent, void> {
    yield* this.#close(line.number);
    this.#footer = true;
    const digest = this.#hash.copy().digest("hex");
    for (const [entity, count] of Object.entries(footer.counts)) {
      const seen = this.#counts[entity as keyof Counts];
      if (seen === count) continue;
      const message = `the footer counts ${count} ${entity} records; the file has ${String(seen)}`;
      yield* this.#refuse(line, "STATE_E_IMPORT_CHECKSUM", message);
    }
    if (digest !== footer.sha256) {
      yield* this.#refuse(line, "STATE_E_IMPORT_CHECKSUM", "the bytes before the footer do not match its SHA-256");
    }
  }

  /** A session is whole when every record that it announced has come. */
  *#close(line: number): Generator<ScanEvent, void> {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return;
    const missing = Object.entries(open.record.counts).find(([entity, count]) => open.seen[entity as ChildEntity] !== count);
    if (open.whole && missing) {
      const [entity, count] = missing;
      const message = `the session announces ${count} ${entity} records; the file has ${open.seen[entity as ChildEntity]}`;
      yield problem({ line, sessionId: open.record.id, code: "STATE_E_IMPORT_TRUNCATED", message });
    } else if (open.whole) {
      yield { kind: "session", session: open.scanned };
    }
  }

  *#refuse(line: SourceLine, code: StateErrorCode, message: string): Generator<ScanEvent, void> {
    const open = this.#open;
    if (open) open.whole = false;
    yield problem({ line: line.number, ...(open && { sessionId: open.record.id }), code, message });
  }
}

function problem(what: ImportProblem): ScanEvent {
  return { kind: "problem", problem: what };
}

function notThisFormat(record: ParsedRecord): StateError {
  const reason = record.type === "problem" ? record.message : `it begins with a ${record.type} record`;
  return new StateError(
    "STATE_E_IMPORT_FORMAT",
    `The file has no readable hermes-state-jsonl header: ${reason}. Check that it is a whole export of hermes-state.`,
    { reason },
  );
}

function changed(session: ScannedSession): StateError {
  return new StateError(
    "STATE_E_IMPORT_CHANGED",
    `The file changed while it was read: session ${session.id} at line ${session.number} is not what it was. Import it again.`,
    { sessionId: session.id, line: session.number },
  );
}

/** Opens this stack's own JSONL for an import. */
export function stateJsonlReader(lines: LineReader, limits: ImportLimits): ImportReader {
  return new StateJsonlReader(lines, limits);
}
