/** What an error of the engine says about the file. */
export type EngineTrouble = "damage" | "busy" | "capability" | "journal" | "environment";

const BUSY = /^SQLITE_(?:BUSY|LOCKED)/;
const JOURNAL = /^SQLITE_READONLY_(?:ROLLBACK|RECOVERY|CANTINIT)/;
const ENVIRONMENT = /^SQLITE_(?:IOERR|FULL|READONLY|CANTOPEN|NOMEM|PERM|AUTH|NOLFS)/;
const CAPABILITY = /no such (?:tokenizer|module)/i;

/**
 * Sorts an error that a check ran into.
 *
 * @returns Undefined for anything that is no error of the engine.
 */
export function engineTrouble(error: unknown): EngineTrouble | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string" || !code.startsWith("SQLITE_")) return undefined;
  if (BUSY.test(code)) return "busy";
  if (JOURNAL.test(code)) return "journal";
  // A page beyond the end of the file is read as an I/O error, and is one that stays.
  if (code === "SQLITE_IOERR_SHORT_READ") return "damage";
  if (ENVIRONMENT.test(code)) return "environment";
  return CAPABILITY.test(messageOf(error)) ? "capability" : "damage";
}

/** The text of an error, or the thing itself as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
