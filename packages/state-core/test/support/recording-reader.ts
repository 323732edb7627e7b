import type { Reader, SqlValue } from "@hermes/state-schema";

/** A statement, what was bound to it and what it answered. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  readonly rows: readonly unknown[];
}

/** A reader that keeps what it was asked and what it answered. */
export function recordingReader(r: Reader, log: Statement[]): Reader {
  const keep = <T>(text: string, params: readonly SqlValue[], found: T[]): T[] => {
    log.push({ sql: text, params, rows: found });
    return found;
  };
  return {
    all: (text, params = []) => keep(text, params, r.all(text, params)),
    get: (text, params = []) => keep(text, params, r.all(text, params))[0] as never,
    tuples: (text, params = []) => keep(text, params, r.tuples(text, params)),
  };
}

/** How the engine answers statements: the lines of their query plans. */
export function queryPlans(r: Reader, log: readonly Statement[]): string[] {
  return log.flatMap(({ sql, params }) =>
    r.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params).map((row) => row.detail),
  );
}
