import Database from "better-sqlite3";
import type { Op } from "./op.js";
import type { RecordedConnection } from "./recorder.js";

/** The same statements on bare driver connections with the same settings: what the engine itself costs. */
export class Replay {
  readonly #connections: readonly Database.Database[];
  readonly #statements = new Map<string, Database.Statement>();

  constructor(path: string, recorded: readonly RecordedConnection[]) {
    this.#connections = recorded.map(({ readonly, pragmas }) => {
      const database = new Database(path, { readonly, fileMustExist: true });
      for (const text of pragmas) database.pragma(text);
      return database;
    });
  }

  /** Prepares every statement once, and returns a function that runs the whole list. */
  compile(ops: readonly Op[]): () => void {
    const steps = ops.map((op) => this.#step(op));
    return () => {
      for (const step of steps) step();
    };
  }

  close(): void {
    for (const database of this.#connections) database.close();
  }

  #step({ connection, kind, sql, shape, params }: Op): () => unknown {
    const database = this.#connections[connection];
    if (database === undefined) throw new Error(`replay: no connection ${connection}`);
    if (kind === "exec") return () => database.exec(sql);
    if (kind === "pragma") return () => database.pragma(sql, { simple: true });
    const key = `${connection} ${shape} ${sql}`;
    let statement = this.#statements.get(key);
    if (statement === undefined) {
      statement = database.prepare(sql);
      if (shape === "tuple") statement.raw(true);
      this.#statements.set(key, statement);
    }
    const prepared = statement;
    if (kind === "run") return () => prepared.run(params);
    return kind === "get" ? () => prepared.get(params) : () => prepared.all(params);
  }
}
