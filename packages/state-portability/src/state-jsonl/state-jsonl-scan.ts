import { createHash } from "node:crypto";
import { StateError } from "@hermes/state-core";
import type { StateErrorCode } from "@hermes/state-core";
import type { IncomingColumns, ScanEvent, ScannedSession } from "../import/import-reader.js";
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
type Events = Generator<ScanEvent, void>;

/** The session whose records are being read. */
interface OpenSession {
  readonly scanned: ScannedSession;
  readonly record: SessionRecord;
  readonly seen: Counts;
  bytes: number;
  /** No problem so far; a session with one is not imported. */
  whole: boolean;
}

function noCounts(): Counts {
  return { session: 0, message: 0, usage: 0, daily_usage: 0 };
}

/**
 * The first pass over this stack's own JSONL: judges every record, counts and hashes, and names the sessions that are
 * whole. It writes nothing and holds one line at a time, and one id per session.
 */
export class StateJsonlScan {
  readonly #hash = createHash("sha256");
  readonly #counts = noCounts();
  readonly #ids = new Set<string>();
  #header: HeaderRecord | undefined;
  #open: OpenSession | undefined;
  #footer = false;
  #bytes = 0;

  constructor(
    private readonly lines: LineReader,
    private readonly limits: ImportLimits,
  ) {}

  /** The columns that the header lists. */
  get columns(): IncomingColumns {
    return this.#header?.columns ?? {};
  }

  /**
   * Reads the file to its end.
   *
   * @throws STATE_E_IMPORT_FORMAT when there is no header that this version can read.
   */
  *run(): Events {
    let last = 1;
    let cut = false;
    for (let line = this.lines.next(); line; line = this.lines.next()) {
      last = line.number;
      yield { kind: "step" };
      for (const event of this.#line(line)) {
        cut ||= event.kind === "problem" && event.problem.code === "STATE_E_IMPORT_TRUNCATED";
        yield event;
      }
      this.#hash.update(line.bytes ?? "");
      if (line.terminated) this.#hash.update("\n");
    }
    if (!this.#header) throw noHeader("it is empty");
    yield* this.#closeSession(last);
    if (this.#footer || cut) return;
    const message = "the file ends without its footer, so records may be missing: it was cut";
    yield { kind: "problem", problem: { line: last, code: "STATE_E_IMPORT_TRUNCATED", message } };
  }

  *#line(line: SourceLine): Events {
    this.#bytes += line.length;
    if (isBlank(line)) return;
    const parsed = parseLine(line, MAX_STATE_LINE_BYTES);
    if ("problem" in parsed) {
      yield this.#refuse(line, parsed.problem.code, parsed.problem.message);
      return;
    }
    yield* this.#record(line, parseRecord(parsed.value));
  }

  *#record(line: SourceLine, record: ParsedRecord): Events {
    if (!this.#header && record.type !== "header") throw noHeader(reasonOf(record));
    if (record.type === "problem") yield this.#refuse(line, "STATE_E_IMPORT_SHAPE", record.message);
    else if (this.#footer) yield this.#refuse(line, "STATE_E_IMPORT_SHAPE", "a record after the footer");
    else if (record.type === "session") yield* this.#session(line, record);
    else if (record.type === "footer") yield* this.#end(line, record);
    else if (record.type !== "header") yield* this.#child(line, record);
    else if (this.#header) yield this.#refuse(line, "STATE_E_IMPORT_SHAPE", "a second header");
    else this.#header = record;
  }

  *#session(line: SourceLine, record: SessionRecord): Events {
    yield* this.#closeSession(line.number);
    const { offset, number, length } = line;
    const scanned = { id: record.id, messages: record.counts.message ?? 0, offset, number };
    this.#open = { scanned, record, seen: noCounts(), bytes: length, whole: true };
    this.#counts.session += 1;
    if (this.#ids.has(record.id))
      yield this.#refuse(line, "STATE_E_IMPORT_DUPLICATE", "the file has this session twice");
    this.#ids.add(record.id);
    const decoded = decodeRow("session", record.row, this.columns.session ?? {});
    if ("message" in decoded) yield this.#refuse(line, "STATE_E_IMPORT_SHAPE", decoded.message);
    const { maxSessions } = this.limits;
    if (exceeds(this.#counts.session, maxSessions)) {
      yield this.#refuse(line, "STATE_E_IMPORT_LIMIT", `more than ${maxSessions} sessions`);
    }
  }

  *#child(line: SourceLine, record: ChildRecord): Events {
    const open = this.#open;
    this.#counts[record.type] += 1;
    if (!open || open.record.id !== record.session) {
      const message = `a ${record.type} record of session ${JSON.stringify(record.session)} outside of that session`;
      yield this.#refuse(line, "STATE_E_IMPORT_SHAPE", message);
      return;
    }
    open.seen[record.type] += 1;
    open.bytes += line.length;
    const decoded = decodeRow(record.type, record.row, this.columns[record.type] ?? {});
    if ("message" in decoded) yield this.#refuse(line, "STATE_E_IMPORT_SHAPE", decoded.message);
    const reason = open.whole ? this.#limitReached(open) : undefined;
    if (reason !== undefined) yield this.#refuse(line, "STATE_E_IMPORT_LIMIT", reason);
  }

  #limitReached(open: OpenSession): string | undefined {
    const { maxMessagesPerSession, maxSessionBytes, maxMessages, maxTotalBytes } = this.limits;
    if (exceeds(open.seen.message, maxMessagesPerSession)) return `more than ${maxMessagesPerSession} messages`;
    if (exceeds(open.bytes, maxSessionBytes)) return `more than ${maxSessionBytes} bytes in one session`;
    if (exceeds(this.#counts.message, maxMessages)) return `more than ${maxMessages} messages in one file`;
    return exceeds(this.#bytes, maxTotalBytes) ? `more than ${maxTotalBytes} bytes in one file` : undefined;
  }

  *#end(line: SourceLine, footer: FooterRecord): Events {
    yield* this.#closeSession(line.number);
    this.#footer = true;
    for (const [entity, count] of Object.entries(footer.counts)) {
      const seen = this.#counts[entity as keyof Counts];
      if (seen === count) continue;
      const message = `the footer counts ${count} ${entity} records; the file has ${String(seen)}`;
      yield this.#refuse(line, "STATE_E_IMPORT_CHECKSUM", message);
    }
    if (this.#hash.copy().digest("hex") !== footer.sha256) {
      const message = "the bytes before the footer do not match its SHA-256";
      yield this.#refuse(line, "STATE_E_IMPORT_CHECKSUM", message);
    }
  }

  /** A session is whole when every record that it announced has come. */
  *#closeSession(line: number): Events {
    const open = this.#open;
    this.#open = undefined;
    if (!open?.whole) return;
    const { record, seen, scanned } = open;
    const missing = Object.entries(record.counts).find(([entity, count]) => seen[entity as ChildEntity] !== count);
    if (!missing) {
      yield { kind: "session", session: scanned };
      return;
    }
    const [entity, count] = missing;
    const message = `the session announces ${count} ${entity} records; the file has ${seen[entity as ChildEntity]}`;
    yield { kind: "problem", problem: { line, sessionId: record.id, code: "STATE_E_IMPORT_TRUNCATED", message } };
  }

  /** Makes a problem of the session that is being read, which is then no longer whole. */
  #refuse(line: SourceLine, code: StateErrorCode, message: string): ScanEvent {
    const open = this.#open;
    if (open) open.whole = false;
    const session = open && { sessionId: open.record.id };
    return { kind: "problem", problem: { line: line.number, ...session, code, message } };
  }
}

function reasonOf(record: ParsedRecord): string {
  return record.type === "problem" ? record.message : `it begins with a ${record.type} record`;
}

function noHeader(reason: string): StateError {
  return new StateError(
    "STATE_E_IMPORT_FORMAT",
    `The file has no readable hermes-state-jsonl header: ${reason}. Check that it is a whole export of hermes-state.`,
    { reason },
  );
}
