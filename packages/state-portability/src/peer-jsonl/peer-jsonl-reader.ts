import { StateError } from "@hermes/state-core";
import type { ImportReader, IncomingSession, ScanEvent, ScannedSession } from "../import/import-reader.js";
import { isBlank, parseLine } from "../import/parse-line.js";
import { exceeds } from "../limits/import-limits.js";
import type { ImportLimits } from "../limits/import-limits.js";
import { parseExactJson } from "../lines/exact-json.js";
import type { LineReader, SourceLine } from "../lines/line-reader.js";
import { BadItem } from "../import/bad-item.js";
import { peerId, peerItems, peerSession } from "./peer-session.js";

/** What the scan has met so far in the whole file. */
interface Totals {
  sessions: number;
  messages: number;
  bytes: number;
}

/**
 * Opens the peer's own JSONL for an import: one session object per line, with its `messages` (POR-03). Lines are small
 * by the limits, so each is held whole.
 *
 * @param now - Start of sessions that name none, in REAL seconds.
 */
export function peerJsonlReader(lines: LineReader, limits: ImportLimits, now: number): ImportReader {
  const ids = new Set<string>();
  const totals: Totals = { sessions: 0, messages: 0, bytes: 0 };

  function* scanLine(line: SourceLine): Generator<ScanEvent, void> {
    const parsed = parseLine(line, limits.maxSessionBytes, parseExactJson);
    if ("problem" in parsed) {
      yield { kind: "problem", problem: parsed.problem };
      return;
    }
    const items = attempt(() => peerItems(parsed.value));
    if (items instanceof BadItem) yield refused(line, items);
    else for (const item of items) yield scanItem(line, item);
  }

  function scanItem(line: SourceLine, item: Readonly<Record<string, unknown>>): ScanEvent {
    const session = attempt(() => peerSession(item, now, limits));
    if (session instanceof BadItem) return refused(line, session, item);
    const reason = admit(session);
    if (reason) return refused(line, reason, item);
    const { offset, number } = line;
    const messages = [...session.children].length;
    return { kind: "session", session: { id: session.id, messages, offset, number } };
  }

  function admit(session: IncomingSession): BadItem | undefined {
    if (ids.has(session.id)) return new BadItem("the file has this session twice", "STATE_E_IMPORT_DUPLICATE");
    ids.add(session.id);
    totals.sessions += 1;
    totals.messages += [...session.children].length;
    const limit = limitReached(totals, limits);
    return limit === undefined ? undefined : new BadItem(limit, "STATE_E_IMPORT_LIMIT");
  }

  return {
    columns: () => ({}),
    *scan() {
      for (let line = lines.next(); line; line = lines.next()) {
        yield { kind: "step" };
        totals.bytes += line.length;
        if (!isBlank(line)) yield* scanLine(line);
      }
    },
    load(scanned) {
      lines.seek(scanned);
      const line = lines.next();
      const parsed = line && parseLine(line, limits.maxSessionBytes, parseExactJson);
      if (!parsed || "problem" in parsed) throw changed(scanned);
      const item = peerItems(parsed.value).find((candidate) => candidate["id"] === scanned.id);
      if (!item) throw changed(scanned);
      return peerSession(item, now, limits);
    },
  };
}

function limitReached(totals: Totals, limits: ImportLimits): string | undefined {
  if (exceeds(totals.sessions, limits.maxSessions)) return `more than ${limits.maxSessions} sessions in one file`;
  if (exceeds(totals.messages, limits.maxMessages)) return `more than ${limits.maxMessages} messages in one file`;
  if (exceeds(totals.bytes, limits.maxTotalBytes)) return `more than ${limits.maxTotalBytes} bytes in one file`;
  return undefined;
}

function attempt<T>(fn: () => T): T | BadItem {
  try {
    return fn();
  } catch (error) {
    if (error instanceof BadItem) return error;
    throw error;
  }
}

function refused(line: SourceLine, reason: BadItem, item?: Readonly<Record<string, unknown>>): ScanEvent {
  const id = item && attempt(() => peerId(item));
  const { code, message } = reason;
  return {
    kind: "problem",
    problem: { line: line.number, ...(typeof id === "string" && { sessionId: id }), code, message },
  };
}

function changed(session: ScannedSession): StateError {
  return new StateError(
    "STATE_E_IMPORT_CHANGED",
    `The file changed while it was read: line ${session.number} lost session ${session.id}. Import it again.`,
    { sessionId: session.id, line: session.number },
  );
}
