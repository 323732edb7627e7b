import { betterSqlite3Driver } from "@hermes/state-core";
import type { Driver, DriverConnection, DriverStatement } from "@hermes/state-core";
import type { SqlValue } from "@hermes/state-schema";

/** What POR-08 allows a statement. */
export const MOST_PARAMETERS = 500;

/** How many values a statement is given: those that are bound, and the members of lists bound as JSON. */
function countValues(params: readonly SqlValue[]): number {
  return params.reduce<number>((sum, value) => sum + (listLength(value) ?? 1), 0);
}

/** Content of messages may be a list as well; only lists of plain texts and numbers stand for parameters. */
function listLength(value: SqlValue): number | undefined {
  if (typeof value !== "string" || !value.startsWith("[")) return undefined;
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) && list.every((item) => typeof item !== "object") ? list.length : undefined;
  } catch {
    // A text that begins like a list.
    return undefined;
  }
}

/** The real library, which refuses a statement with more than 500 values and remembers the most it was given. */
export function countingDriver(): Driver & { readonly most: number; readonly statements: number } {
  let [most, statements] = [0, 0];
  const check = (sql: string, params: readonly SqlValue[]): readonly SqlValue[] => {
    const count = countValues(params);
    statements += 1;
    most = Math.max(most, count);
    if (count > MOST_PARAMETERS) throw new Error(`${String(count)} values for: ${sql}`);
    return params;
  };
  const counted = (sql: string, statement: DriverStatement): DriverStatement => ({
    all: (params) => statement.all(check(sql, params)),
    get: (params) => statement.get(check(sql, params)),
    run: (params) => statement.run(check(sql, params)),
  });
  const wrapped = (connection: DriverConnection): DriverConnection =>
    new Proxy(connection, {
      get(target, name) {
        if (name === "prepare") {
          return (sql: string, shape: "object" | "tuple") => counted(sql, target.prepare(sql, shape));
        }
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  return {
    ...betterSqlite3Driver,
    open: (path, options) => wrapped(betterSqlite3Driver.open(path, options)),
    get most() {
      return most;
    },
    get statements() {
      return statements;
    },
  };
}
