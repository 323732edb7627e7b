import type { ChildEntity } from "../rows/entities.js";
import type { CellJson } from "./cell-json.js";

/** Name of the format, in the header of every file. */
export const STATE_JSONL_FORMAT = "hermes-state-jsonl";

/** Version of the format. A reader refuses a higher one, since it could lose what it does not know. */
export const STATE_JSONL_VERSION = 1;

/** A row as JSON, keyed by column; an absent column that the header lists is NULL. */
export type RowJson = Readonly<Record<string, CellJson>>;

/** First line: the format, and for every table its columns with their declarations. */
export interface HeaderRecord {
  readonly type: "header";
  readonly format: typeof STATE_JSONL_FORMAT;
  readonly version: number;
  readonly schemaVersion: number;
  readonly columns: Readonly<Partial<Record<"session" | ChildEntity, Readonly<Record<string, string>>>>>;
}

/** Begins a session; its rows follow it, as many as `counts` says. */
export interface SessionRecord {
  readonly type: "session";
  readonly id: string;
  readonly counts: Readonly<Partial<Record<ChildEntity, number>>>;
  /** Texts by SHA-256, where the row refers to one. */
  readonly prompts?: Readonly<Record<string, string>>;
  readonly row: RowJson;
}

/** A row of the session that was begun last. */
export interface ChildRecord {
  readonly type: ChildEntity;
  readonly session: string;
  readonly row: RowJson;
}

/** Last line: how many records of each kind there were, and the SHA-256 of every byte before this line. */
export interface FooterRecord {
  readonly type: "footer";
  readonly counts: Readonly<Record<"session" | ChildEntity, number>>;
  readonly sha256: string;
}
