import type { Reader } from "@hermes/state-schema";
import type { ForeignFormat } from "./foreign-format.js";
import { uidPrefix } from "./stored-uid.js";
import { UidTable } from "./uid-table.js";

/** A message as far as it is told from others: by its uid, and where that is not enough, by who said it and when. */
export interface MessageMark {
  readonly uid: string;
  readonly role: string;
  /** REAL seconds; undefined where the source has no times. */
  readonly seconds: number | undefined;
}

/** Whose messages are looked for. */
export interface Inquirer {
  /** Id of the thread: its own branches, delegates and copies are no other session. */
  readonly thread: string;
  /** It names a session that it was forked from. */
  readonly forked: boolean;
}

/** Uids with the session that holds each of them. */
export type Holders = ReadonlyMap<string, string>;

const PARAMETERS = 500;
const UIDS_PER_QUERY = PARAMETERS - 1;
const ROWS_PER_QUERY = 5_000;

const HIGHEST = "SELECT COALESCE(MAX(id), 0) AS id FROM messages";
const SESSIONS = `SELECT id FROM sessions WHERE source = ? AND id > ? ORDER BY id LIMIT ${PARAMETERS}`;
const MARKS = "SELECT message_uid, role, timestamp FROM messages WHERE session_id = ? AND message_uid IS NOT NULL";
const NEWER = `SELECT id, session_id, message_uid, role, timestamp FROM messages
  WHERE id > ? AND message_uid IS NOT NULL ORDER BY id LIMIT ${ROWS_PER_QUERY}`;
const FORKED = "SELECT 1 AS found FROM sessions WHERE id = ? AND instr(model_config, '_branched_from') > 0";
const HELD = `SELECT message_uid, role, timestamp, active = 1 OR compacted = 1 AS shown FROM messages
  WHERE session_id = ? AND message_uid IN (${Array.from({ length: UIDS_PER_QUERY }, () => "?").join(", ")})`;

type Mark = readonly [uid: string, role: string, timestamp: number];

/**
 * Tells which session holds a message of a format: a program that copies history into a new file must not make it count
 * twice (POR-05). Read from the store when it is first asked, once per import; what is written since is read after.
 */
export class StoredUids {
  readonly #table = new UidTable();
  readonly #ids: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #forks = new Set<number>();
  /** Sessions that a dry run would have written: nothing in the store can be asked about them. */
  readonly #planned = new Set<number>();
  #readUpTo: number | undefined;

  constructor(private readonly format: Pick<ForeignFormat, "name" | "copies">) {}

  /** Reads what the store holds by now. To be called before a file's own sessions are written. */
  refresh(r: Reader): void {
    if (this.#readUpTo === undefined) this.#readAll(r);
    else this.#readNewer(r, this.#readUpTo);
  }

  /** The messages that another session holds. What the thread itself holds already stays its own. */
  holders(r: Reader, { thread, forked }: Inquirer, messages: readonly MessageMark[]): Holders {
    const wanted = new Map<number, MessageMark[]>();
    for (const message of messages) {
      for (const number of this.#table.find(this.#key(message))) {
        const marks = wanted.get(number);
        if (marks) marks.push(message);
        else wanted.set(number, [message]);
      }
    }
    const own = new Set<string>();
    const shown = new Map<string, string>();
    const hidden = new Map<string, string>();
    for (const [number, marks] of wanted) {
      const id = this.#ids[number] ?? "";
      const mine = isOfThread(id, thread);
      if (!mine && this.format.copies === "kin" && !forked && !this.#isFork(number)) continue;
      for (const [uid, isShown] of this.#held(r, number, marks)) {
        if (mine) own.add(uid);
        else (isShown ? shown : hidden).set(uid, id);
      }
    }
    const holders = new Map([...hidden, ...shown]);
    for (const uid of own) holders.delete(uid);
    return holders;
  }

  /** Remembers what a dry run would have written. */
  plan(session: string, { forked }: Pick<Inquirer, "forked">, messages: readonly MessageMark[]): void {
    const number = this.#number(session);
    this.#planned.add(number);
    if (forked) this.#forks.add(number);
    for (const message of messages) this.#table.add(this.#key(message), number);
  }

  /** How many messages there are beyond what a dry run would have written of the session. */
  beyondPlanned(session: string, messages: readonly MessageMark[]): number {
    const number = this.#numbers.get(session);
    return messages.filter((message) => number === undefined || !this.#table.find(this.#key(message)).has(number))
      .length;
  }

  #held(r: Reader, number: number, marks: readonly MessageMark[]): Map<string, boolean> {
    if (this.#planned.has(number)) return new Map(marks.map(({ uid }) => [uid, true]));
    const held = new Map<string, boolean>();
    const keys = new Set(marks.map((mark) => this.#key(mark)));
    const prefix = uidPrefix(this.format.name);
    for (let start = 0; start < marks.length; start += UIDS_PER_QUERY) {
      const uids = marks.slice(start, start + UIDS_PER_QUERY).map(({ uid }) => prefix + uid);
      const padded = Array.from({ length: UIDS_PER_QUERY }, (_, at) => uids[at] ?? uids[0] ?? "");
      const rows = r.tuples<readonly [...Mark, number]>(HELD, [this.#ids[number] ?? "", ...padded]);
      for (const [uid, role, seconds, isShown] of rows) {
        const mark = { uid: uid.slice(prefix.length), role, seconds };
        if (keys.has(this.#key(mark))) held.set(mark.uid, isShown === 1 || held.get(mark.uid) === true);
      }
    }
    return held;
  }

  #readAll(r: Reader): void {
    this.#readUpTo = r.get<{ id: number }>(HIGHEST)?.id ?? 0;
    for (let after = "", more = true; more;) {
      const sessions = r.tuples<readonly [string]>(SESSIONS, [this.format.name, after]);
      for (const [id] of sessions) {
        const number = this.#number(id, r);
        for (const mark of r.tuples<Mark>(MARKS, [id])) this.#note(mark, number);
        after = id;
      }
      more = sessions.length === PARAMETERS;
    }
  }

  #readNewer(r: Reader, from: number): void {
    for (let after = from, more = true; more;) {
      const rows = r.tuples<readonly [number, string, ...Mark]>(NEWER, [after]);
      for (const [id, session, ...mark] of rows) {
        this.#note(mark, this.#number(session, r));
        after = id;
      }
      more = rows.length === ROWS_PER_QUERY;
      this.#readUpTo = after;
    }
  }

  #note([uid, role, seconds]: Mark, number: number): void {
    const prefix = uidPrefix(this.format.name);
    if (uid.startsWith(prefix)) this.#table.add(this.#key({ uid: uid.slice(prefix.length), role, seconds }), number);
  }

  #key({ uid, role, seconds }: MessageMark): string {
    return this.format.copies === "kin" ? `${uid} ${role} ${String(seconds)}` : uid;
  }

  #isFork(number: number): boolean {
    const thread = this.#numbers.get((this.#ids[number] ?? "").replace(/\.(?:branch|agent)-.*$/s, ""));
    return this.#forks.has(number) || (thread !== undefined && this.#forks.has(thread));
  }

  #number(session: string, r?: Reader): number {
    const known = this.#numbers.get(session);
    if (known !== undefined) return known;
    const number = this.#ids.push(session) - 1;
    this.#numbers.set(session, number);
    const isThread = !/\.(?:branch|agent)-/.test(session);
    if (this.format.copies === "kin" && isThread && r?.get(FORKED, [session])) this.#forks.add(number);
    return number;
  }
}

/** A thread's own sessions: itself, its branches and delegates, and copies that were asked for. */
function isOfThread(id: string, thread: string): boolean {
  return id === thread || id.startsWith(`${thread}.`) || id.startsWith(`${thread}-copy`);
}
