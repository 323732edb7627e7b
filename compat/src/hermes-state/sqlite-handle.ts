/** An open connection of any SQLite library for Node: one that runs pragmas, or one that prepares statements. */
export interface SqliteHandle {
  pragma?(text: string): unknown;
  prepare?(sql: string): { get(): unknown };
}

/** The first value of an answer, whether it comes as rows, as a row or alone. */
function firstValue(answer: unknown): unknown {
  if (Array.isArray(answer)) return firstValue(answer[0]);
  if (typeof answer === "object" && answer !== null) return Object.values(answer)[0];
  return answer;
}

/**
 * Runs `PRAGMA <text>` on a connection.
 *
 * @returns The first value it answers with, if it answers.
 * @throws TypeError for what is no connection.
 */
export function pragmaOf(conn: SqliteHandle, text: string): unknown {
  if (typeof conn.pragma === "function") return firstValue(conn.pragma(text));
  if (typeof conn.prepare === "function") return firstValue(conn.prepare(`PRAGMA ${text}`).get());
  throw new TypeError("An open SQLite connection is needed: an object with pragma() or prepare().");
}
