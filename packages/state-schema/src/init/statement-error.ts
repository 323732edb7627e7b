/**
 * True when SQLite refused one statement and the transaction around it is intact: an SQL error or a violated
 * constraint, never a full disk, damage or a lock. Errors that wrap the driver's are looked through.
 */
export function isStatementError(error: unknown): boolean {
  for (let current = error, depth = 0; depth < 8 && typeof current === "object" && current !== null; depth += 1) {
    const { code, cause } = current as { code?: unknown; cause?: unknown };
    if (code === "SQLITE_ERROR" || (typeof code === "string" && code.startsWith("SQLITE_CONSTRAINT"))) return true;
    current = cause;
  }
  return false;
}

/** True when a column is there already: a sibling added it first, which is success (SCH-02). */
export function isDuplicateColumn(error: unknown): boolean {
  return isStatementError(error) && error instanceof Error && /duplicate column/i.test(textChain(error));
}

function textChain(error: Error): string {
  const texts: string[] = [];
  for (let current: unknown = error, depth = 0; current instanceof Error && depth < 8; depth += 1) {
    texts.push(current.message);
    current = current.cause;
  }
  return texts.join("\n");
}

/**
 * True for an error in this code rather than in the file: it must never be taken for a file that cannot be upgraded.
 */
export function isDefect(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}
