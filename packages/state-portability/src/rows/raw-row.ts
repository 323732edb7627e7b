import type { SqlValue } from "@hermes/state-schema";

/** Text whose stored bytes are not valid UTF-8: kept as bytes, since a JavaScript string would change them. */
export class RawText {
  constructor(readonly bytes: Uint8Array) {}
}

/** A stored value, exactly: integers beyond 2^53 as bigint, undecodable text as {@link RawText}. */
export type Cell = SqlValue | RawText;

/** One row as the file holds it, keyed by column name. */
export type RawRow = Readonly<Record<string, Cell>>;
