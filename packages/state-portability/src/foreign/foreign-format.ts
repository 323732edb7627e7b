import type { ForeignImportName, ImportProblem } from "../import/import-reader.js";
import type { ForeignFile } from "./foreign-file.js";
import type { ForeignSession } from "./foreign-session.js";

/** What a file of a foreign format holds. */
export interface ForeignTranscript {
  readonly sessions: readonly ForeignSession[];
  readonly problems: readonly ImportProblem[];
}

/** The beginning of a file, to judge its format by. */
export interface FileHead {
  /** Its name without the folder. */
  readonly name: string;
  /** The JSON values of its first whole lines; of a single document, nothing. */
  readonly lines: readonly unknown[];
  /** The text at hand. */
  readonly text: string;
}

/** One format of another program (POR-05). */
export interface ForeignFormat {
  readonly name: ForeignImportName;
  /**
   * How a message that was copied into another file is known, where the program does that: by its uid, which no other
   * message has, or by uid, speaker and time when one of both sessions was forked from another (`kin`).
   */
  readonly copies?: "uid" | "kin";
  /**
   * A file tells of paths that were left, and its uids are unique in it. `kept`: nothing ever leaves the file;
   * `rewritten`: the program may write the file anew from an earlier point on. Absent where a file is one list.
   */
  readonly paths?: "kept" | "rewritten";
  /** True when the file can only be of this format. */
  recognises(head: FileHead): boolean;
  /** Reads a whole file. Pure: the same bytes give the same sessions. */
  read(file: ForeignFile): ForeignTranscript;
}
