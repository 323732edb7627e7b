import { StateError } from "@hermes/state-core";
import type { Reader } from "@hermes/state-schema";
import type { ImportReader, ScanEvent } from "../import/import-reader.js";
import type { ForeignFile } from "./foreign-file.js";
import type { ForeignFormat, ForeignTranscript } from "./foreign-format.js";
import type { ForeignSession } from "./foreign-session.js";
import { leaveOutCopies } from "./leave-out-copies.js";
import type { SettledSession } from "./leave-out-copies.js";
import { leftOutBefore } from "./left-out-before.js";
import type { Inquirer, MessageMark, StoredUids } from "./stored-uids.js";
import { toIncoming, transcriptOf } from "./to-incoming.js";

/** What a reader depends on beside the file. */
export interface ForeignReaderOptions {
  /** Start of sessions without any time, in REAL seconds. */
  readonly now: number;
  /** What the store holds of the format already. */
  readonly stored: StoredUids;
}

/**
 * Reads another program's transcript for an import (POR-05). The file is read once and its sessions are held; the
 * source's own ids stay with the rows, so a later import of the same, grown file adds only what is new.
 */
export function foreignReader(format: ForeignFormat, file: ForeignFile, options: ForeignReaderOptions): ImportReader {
  const { now, stored } = options;
  let transcript: ForeignTranscript | undefined;
  const read = (): ForeignTranscript => (transcript ??= format.read(file));
  let byId: ReadonlyMap<string, SettledSession> | undefined;
  // Of two with the same id the first counts; the second is a problem of the scan.
  const sessions = (r: Reader | undefined): ReadonlyMap<string, SettledSession> =>
    (byId ??= new Map(
      settled(r, format, read().sessions, stored)
        .toReversed()
        .map((session) => [session.id, session]),
    ));
  const marksOf = (id: string): readonly MessageMark[] => byId?.get(id)?.messages.map(markOf) ?? [];
  let whole: ReturnType<typeof transcriptOf> | undefined;

  function* events(): Generator<ScanEvent, void> {
    const { sessions: found, problems } = read();
    for (const problem of problems) yield { kind: "problem", problem };
    const seen = new Set<string>();
    for (const { id, line, messages } of found) {
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
    load(scanned, r) {
      const session = sessions(r).get(scanned.id);
      if (!session)
        throw new StateError("STATE_E_IMPORT_CHANGED", `The file lost session ${scanned.id}.`, {
          sessionId: scanned.id,
        });
      whole ??= transcriptOf(read().sessions, format);
      return { ...toIncoming(session, format.name, now), transcript: whole };
    },
    planned({ id }) {
      stored.plan(id, inquirer(read().sessions), marksOf(id));
    },
    beyondPlanned: ({ id }) => stored.beyondPlanned(id, marksOf(id)),
  };
}

/** The sessions of a transcript without what the store holds of them in others. */
function settled(
  r: Reader | undefined,
  format: ForeignFormat,
  sessions: readonly ForeignSession[],
  stored: StoredUids,
): readonly SettledSession[] {
  if (!r || format.copies === undefined || sessions.length === 0) return sessions;
  stored.refresh(r);
  const marks = sessions.flatMap(({ messages }) => messages.map(markOf));
  const before = sessions.flatMap((session) => [...leftOutBefore(r, session, format.name)]);
  const holders = new Map([...before, ...stored.holders(r, inquirer(sessions), marks)]);
  return leaveOutCopies(sessions, holders, format.copies);
}

/** The thread is the first session of a transcript; subagents in a file of their own only name it. */
function inquirer([first]: readonly ForeignSession[]): Inquirer {
  const { id = "", parent } = first ?? {};
  const thread = parent?.relation === "delegate" && id.startsWith(`${parent.id}.`) ? parent.id : id;
  return { thread, forked: parent !== undefined };
}

function markOf({ uid, role, seconds }: ForeignSession["messages"][number]): MessageMark {
  return { uid, role, seconds };
}

function twice(id: string, line: number) {
  return { line, sessionId: id, code: "STATE_E_IMPORT_DUPLICATE" as const, message: "the file has this session twice" };
}
