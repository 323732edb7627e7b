import type { SqlValue, Writer } from "@hermes/state-schema";

/** A statement about to run. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** Rewrites a statement; undefined leaves it out. */
export type Mutation = (statement: Statement) => Statement | undefined;

/** A writer whose statements are changed on their way: a planted violation of what the code above it promises. */
export function mutatedWriter(w: Writer, mutate: Mutation): Writer {
  const change = (sql: string, params: readonly SqlValue[] = []): Statement | undefined => mutate({ sql, params });
  return {
    all: (sql, params) => {
      const statement = change(sql, params);
      return statement ? w.all(statement.sql, statement.params) : [];
    },
    get: (sql, params) => {
      const statement = change(sql, params);
      return statement ? w.get(statement.sql, statement.params) : undefined;
    },
    tuples: (sql, params) => {
      const statement = change(sql, params);
      return statement ? w.tuples(statement.sql, statement.params) : [];
    },
    run: (sql, params) => {
      const statement = change(sql, params);
      return statement ? w.run(statement.sql, statement.params) : { changes: 0, lastInsertRowid: 0 };
    },
    exec: (sql) => {
      const statement = change(sql);
      if (statement) w.exec(statement.sql);
    },
    editSchema: (sql, params) => w.editSchema(sql, params),
  };
}

/** Replaces a part of every statement that has it, and tells how often. */
export function replacing(part: string | RegExp, by: string): { mutate: Mutation; readonly times: number } {
  let times = 0;
  return {
    mutate: ({ sql, params }) => {
      const changed = sql.replace(part, by);
      if (changed !== sql) times += 1;
      return { sql: changed, params };
    },
    get times() {
      return times;
    },
  };
}
