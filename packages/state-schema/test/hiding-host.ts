import type { SchemaHost, SqliteCapabilities, Writer } from "../src/index.js";

const WORD = /\b(?:INTO|FROM|TABLE(?: IF NOT EXISTS| IF EXISTS)?)\s+messages_fts(?![\w])/i;
const TRIGRAM = /\b(?:INTO|FROM|TABLE(?: IF NOT EXISTS| IF EXISTS)?)\s+messages_fts_trigram(?![\w])/i;

/**
 * A host whose SQLite lacks a module or tokenizer: any statement that would need it fails as the engine's would.
 */
export function hidingHost<T extends SchemaHost>(host: T, capabilities: SqliteCapabilities): T {
  const check = (sql: string): void => {
    if (!capabilities.fts5 && (WORD.test(sql) || TRIGRAM.test(sql))) throw refusal("no such module: fts5");
    if (!capabilities.trigram && TRIGRAM.test(sql)) throw refusal("no such tokenizer: trigram");
  };
  const checked = <A extends readonly unknown[], R>(fn: (sql: string, ...rest: A) => R) =>
    ((sql: string, ...rest: A): R => {
      check(sql);
      return fn(sql, ...rest);
    }) as never;
  const hide = (w: Writer): Writer => ({
    all: checked(w.all),
    get: checked(w.get),
    tuples: checked(w.tuples),
    run: checked(w.run),
    exec: checked(w.exec),
    editSchema: (sql, params) => w.editSchema(sql, params),
  });
  return {
    ...host,
    all: checked(host.all),
    get: checked(host.get),
    tuples: checked(host.tuples),
    transaction: (label, fn) => host.transaction(label, (w) => fn(hide(w))),
  };
}

function refusal(message: string): Error {
  return Object.assign(new Error(message), { code: "SQLITE_ERROR" });
}
