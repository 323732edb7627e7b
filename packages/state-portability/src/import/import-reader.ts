import type { StateErrorCode } from "@hermes/state-core";
import type { Reader } from "@hermes/state-schema";
import type { LineMark } from "../lines/line-reader.js";
import type { ChildEntity } from "../rows/entities.js";
import type { RawRow } from "../rows/raw-row.js";

/** Formats of other programs that an import reads. */
export type ForeignImportName = "claude-code" | "codex" | "openai" | "chatgpt" | "pi" | "sharegpt" | "atif";

/** Formats that an import reads. */
export type ImportFormatName = "jsonl" | "peer" | ForeignImportName;

/** What is wrong with one item of a file, and in which line. */
export interface ImportProblem {
  /** The file, when the source is a folder. */
  readonly file?: string;
  /** Counted from 1. */
  readonly line: number;
  readonly sessionId?: string;
  readonly code: StateErrorCode;
  readonly message: string;
}

/** A session found whole by the scan: where it begins, so that it can be read again inside its transaction. */
export interface ScannedSession extends LineMark {
  readonly id: string;
  readonly messages: number;
}

/** What a scan meets. A `step` is a chance to stop; one comes at least with every line. */
export type ScanEvent =
  | { readonly kind: "session"; readonly session: ScannedSession }
  | { readonly kind: "problem"; readonly problem: ImportProblem }
  | { readonly kind: "step" };

/** One row that belongs to an incoming session, without its session id. */
export interface IncomingRow {
  readonly entity: ChildEntity;
  readonly row: RawRow;
}

/** What the transcript of another program holds, in all of its sessions. */
export interface IncomingTranscript {
  /** Its first session, which the others branch off. */
  readonly thread: string;
  readonly sessions: ReadonlySet<string>;
  /** Of its messages, where they tell one message from all others of the transcript; else empty. */
  readonly uids: ReadonlySet<string>;
  /** The program only ever adds: a message that is missing is missing in an older copy. */
  readonly keepsAll: boolean;
}

/** One session as it comes in. Columns that a row leaves out get the default of the store's table. */
export interface IncomingSession {
  readonly id: string;
  /** The id is made from the beginning of the talk, which another talk may share. */
  readonly derivedId?: boolean;
  /** The session that holds all of it already: nothing is left to bring in. */
  readonly wholeIn?: string;
  readonly transcript?: IncomingTranscript;
  /** The session's row, with its parent's id; without `id`. */
  readonly row: RawRow;
  /** Texts by the hash that the row refers to. */
  readonly prompts: Readonly<Record<string, string>>;
  /** How many messages are among the children. */
  readonly messages: number;
  /** Read as they are written, so that a session of any length fits. */
  readonly children: Iterable<IncomingRow>;
}

/** Columns of an entity with their declarations. */
export type IncomingColumns = Readonly<Partial<Record<"session" | ChildEntity, Readonly<Record<string, string>>>>>;

/** Reads one file of one format, twice: the scan judges everything and writes nothing, then each session is loaded. */
export interface ImportReader {
  /** A session that is here already gets what is new in the source; otherwise it stays as it is. */
  readonly grows?: true;
  scan(): Generator<ScanEvent, void>;
  /** Columns that the file's own tables had, known after the scan; empty where the format has no such list. */
  columns(): IncomingColumns;
  /**
   * Reads a scanned session from its mark; safe to call again.
   *
   * @param r - A connection that sees what the store holds already; without it, everything in the file is read.
   */
  load(session: ScannedSession, r?: Reader): IncomingSession;
  /** Told of each session that a dry run would have written. */
  planned?(session: IncomingSession): void;
  /** How many messages a session has beyond what was {@link planned} under its id. */
  beyondPlanned?(session: IncomingSession): number;
}
