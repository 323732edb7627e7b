import type { Driver, DriverConnection, DriverOpenOptions, DriverStatement } from "@hermes/state-core";
import type { Op } from "./op.js";

/** A connection that the recorded store opened, and what it was told while it was set up. */
export interface RecordedConnection {
  readonly readonly: boolean;
  readonly pragmas: string[];
}

/** Stands between a store and its driver, and writes down every statement while it is recording. */
export class Recorder implements Driver {
  readonly name: string = "recorder";
  readonly connections: RecordedConnection[] = [];
  readonly #inner: Driver;
  #ops: Op[] | undefined;

  constructor(inner: Driver) {
    this.#inner = inner;
  }

  open(path: string, options: DriverOpenOptions): DriverConnection {
    const inner = this.#inner.open(path, options);
    const index = this.connections.push({ readonly: options.readonly, pragmas: [] }) - 1;
    const note = (op: Omit<Op, "connection">): void => {
      this.#note({ ...op, connection: index });
    };
    return {
      prepare: (sql, shape) => recordStatement(inner.prepare(sql, shape), sql, shape, note),
      exec: (sql) => {
        note({ kind: "exec", sql, shape: "object", params: [] });
        inner.exec(sql);
      },
      editSchema: (sql, params) => {
        note({ kind: "run", sql, shape: "object", params });
        return inner.editSchema(sql, params);
      },
      pragma: (text) => {
        note({ kind: "pragma", sql: text, shape: "object", params: [] });
        return inner.pragma(text);
      },
      copyTo: (target, step) => inner.copyTo(target, step),
      get inTransaction() {
        return inner.inTransaction;
      },
      close: () => {
        inner.close();
      },
    };
  }

  /** Runs `fn` and returns every statement it caused. */
  record(fn: () => void): readonly Op[] {
    const ops: Op[] = [];
    this.#ops = ops;
    try {
      fn();
    } finally {
      this.#ops = undefined;
    }
    return ops;
  }

  #note(op: Op): void {
    this.#ops?.push(op);
    const isSetting = op.kind === "pragma" && op.sql.includes("=");
    if (isSetting) this.connections[op.connection]?.pragmas.push(op.sql);
  }
}

function recordStatement(
  inner: DriverStatement,
  sql: string,
  shape: Op["shape"],
  note: (op: Omit<Op, "connection">) => void,
): DriverStatement {
  return {
    run: (params) => {
      note({ kind: "run", sql, shape, params });
      return inner.run(params);
    },
    get: (params) => {
      note({ kind: "get", sql, shape, params });
      return inner.get(params);
    },
    all: (params) => {
      note({ kind: "all", sql, shape, params });
      return inner.all(params);
    },
  };
}
