import type { ChildEntity } from "../rows/entities.js";
import type { StoreShape } from "../rows/read-session.js";
import type { SessionDocument } from "./session-document.js";

/** What went into an export. */
export type ExportCounts = Readonly<Record<"session" | ChildEntity, number>>;

/** Rows that a format left out, by kind. */
export type Losses = Readonly<Record<string, number>>;

/** How to write conversations in one format. Codecs are pure: they get rows and yield text. */
export interface ExportCodec {
  readonly format: ExportFormat;
  readonly mediaType: string;
  /** File name extension, with its dot. */
  readonly extension: string;
  /** What this format cannot carry, one sentence each; empty for a lossless one (POR-04). */
  readonly losses: readonly string[];
  /** Text before the first session. */
  begin(shape: StoreShape): Iterable<string>;
  /** One whole session; returns how many rows of what kind it had to leave out, such as `{ rewound: 2 }`. */
  session(document: SessionDocument, position: number): Generator<string, Losses>;
  /** Text after the last session; `sha256` is the hex digest of all text so far, as UTF-8. */
  end(totals: { readonly counts: ExportCounts; readonly sha256: string }): Iterable<string>;
}

/** Formats that an export can be written in. */
export type ExportFormat = "jsonl" | "peer-jsonl" | "md" | "html" | "openai" | "sharegpt" | "atif";
