import type { ChildEntity } from "../rows/entities.js";
import type { PiecedRow } from "../rows/long-text.js";
import type { RawRow } from "../rows/raw-row.js";

/** One session as an export codec sees it: read lazily from one snapshot, rows exactly as stored. */
export interface SessionDocument {
  readonly id: string;
  readonly session: RawRow;
  /** Texts that the session refers to by their hash: its system prompt, and its tool names where they are stored so. */
  readonly prompts: Readonly<Record<string, string>>;
  /** How many rows of each kind there are, known before they are read. */
  readonly counts: Readonly<Partial<Record<ChildEntity, number>>>;
  /** Rows of one kind, messages in the order of their ids (COR-22). */
  rows(entity: ChildEntity): Iterable<RawRow>;
  /** The same rows without their long texts, for who can write those piece by piece; absent where texts are changed. */
  readonly piecedRows?: (entity: ChildEntity) => Iterable<PiecedRow>;
}
