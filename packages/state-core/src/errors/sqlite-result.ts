/** Primary and extended result codes this stack decides by, by the names the driver gives them. */
const CODES: Readonly<Record<string, number>> = {
  SQLITE_ERROR: 1,
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_READONLY: 8,
  SQLITE_INTERRUPT: 9,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_CONSTRAINT: 19,
  SQLITE_MISMATCH: 20,
  SQLITE_AUTH: 23,
  SQLITE_NOTADB: 26,
  SQLITE_CORRUPT_VTAB: 267,
  SQLITE_CONSTRAINT_FOREIGNKEY: 787,
};

/** The result code of a driver error: its name, its primary code, and its extended code where that matters. */
export interface SqliteResult {
  readonly name: string;
  /** Primary code, or 0 when the name is not known to this stack. */
  readonly primary: number;
  readonly extended: number;
}

/** Reads the result code of a driver error; undefined for any other error. */
export function sqliteResult(error: unknown): SqliteResult | undefined {
  const name = (error as { code?: unknown } | null | undefined)?.code;
  if (typeof name !== "string" || !name.startsWith("SQLITE_")) return undefined;
  const primaryName = name.split("_").slice(0, 2).join("_");
  const primary = CODES[primaryName] ?? 0;
  return { name, primary, extended: CODES[name] ?? primary };
}
