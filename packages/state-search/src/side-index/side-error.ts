/** Passing conditions: somebody else holds the file, or it cannot be written or opened now. */
const PASSING = /^(?:SQLITE_(?:BUSY|LOCKED|FULL|READONLY|CANTOPEN|PERM|NOMEM|INTERRUPT|PROTOCOL|AUTH)|STATE_E_)/;
const PASSING_IO = /^SQLITE_IOERR(?!_SHORT_READ|_CORRUPTFS)/;

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

/** The engine, the store or the system refused; anything else is a mistake of this code. */
export function isRefusal(error: unknown): boolean {
  return codeOf(error) !== "";
}

/** The side file is not what it should be, and will not become it by waiting. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith("SQLITE_") && !PASSING.test(code) && !PASSING_IO.test(code);
}

/** The side index could not answer: rows have to be read instead. */
export class SideUnavailable extends Error {
  override readonly name: string = "SideUnavailable";
  readonly code: string = "SIDE_UNAVAILABLE";
}
