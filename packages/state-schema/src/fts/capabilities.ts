import type { Reader } from "../sql/handles.js";

/** What the linked SQLite can do for search; each half is judged on its own (SCH-08). */
export interface SqliteCapabilities {
  /** The fts5 module exists. */
  readonly fts5: boolean;
  /** Its trigram tokenizer exists. */
  readonly trigram: boolean;
}

const PROBE = `
  SELECT EXISTS (SELECT 1 FROM pragma_module_list WHERE name = 'fts5') AS fts5, sqlite_version() AS version`;

/** Asks the linked SQLite what it can do, without touching the file. Fts5 has the trigram tokenizer since 3.34. */
export function probeCapabilities(r: Reader): SqliteCapabilities {
  const row = r.get<{ fts5: number; version: string }>(PROBE);
  const fts5 = row?.fts5 === 1;
  const [major = 0, minor = 0] = (row?.version ?? "").split(".").map(Number);
  return { fts5, trigram: fts5 && (major > 3 || (major === 3 && minor >= 34)) };
}
