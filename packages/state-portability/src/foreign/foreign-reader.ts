import { StateError } from "@hermes/state-core";
import type { ImportReader, ScanEvent } from "../import/import-reader.js";
import type { ForeignFile } from "./foreign-file.js";
import type { ForeignFormat, ForeignTranscript } from "./foreign-format.js";
import type { ForeignSession } from "./foreign-session.js";
import { toIncoming } from "./to-incoming.js";

/**
 * Reads another program's transcript for an import (POR-05). The file is read once and its sessions are held; the
 * source's own ids stay with the rows, so a later import of the same, grown file adds only what is new.
 *
 * @param now - Start of sessions without any time, in REAL seconds.
 */
export function foreignReader(format: ForeignFormat, file: ForeignFile, now: number): ImportReader {
  let transcript: ForeignTranscript | undefined;
  const read = (): ForeignTranscript => (transcript ??= format.read(file));
  let byId: ReadonlyMap<string, ForeignSession> | undefined;
  // Of two with the same id the first counts; the second is a problem of the scan.
  const sessions = (): ReadonlyMap<string, ForeignSession> =>
    (byId ??= new Map(
      read()
        .sessions.toReversed()
        .map((session) => [session.id, session]),
    ));

  function* events(): Generator<ScanEvent, void> {
    const { sessions, problems } = read();
    for (const problem of problems) yield { kind: "problem", problem };
    const seen = new Set<string>();
    for (const { id, line, messages } of sessions) {
      yield { kind: "step" };
      if (seen.has(id)) yield { kind: "problem", problem: twice(id, line) };
      else yield { kind: "session", session: { id, messages: messages.length, offset: 0, number: line } };
      seen.add(id);
    }
  }

  return {
    grows: true,
    columns: () => ({}),
    scan: events,
    load(scanned) {
      const session = sessions().get(scanned.id);
      if (!session)
        throw new StateError("STATE_E_IMPORT_CHANGED", `The file lost session ${scanned.id}.`, {
          sessionId: scanned.id,
        });
      return toIncoming(session, format.name, now);
    },
  };
}

function twice(id: string, line: number) {
  return { line, sessionId: id, code: "STATE_E_IMPORT_DUPLICATE" as const, message: "the file has this session twice" };
}
