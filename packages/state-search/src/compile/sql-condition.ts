import type { SqlValue } from "@hermes/state-schema";

/** A piece of a WHERE clause with its parameters, in order. */
export interface SqlCondition {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** Holds for every row. */
export const ALWAYS: SqlCondition = { sql: "1", params: [] };

function join(operator: "AND" | "OR", conditions: readonly SqlCondition[]): SqlCondition {
  return {
    sql: `(${conditions.map((condition) => condition.sql).join(` ${operator} `)})`,
    params: conditions.flatMap((condition) => condition.params),
  };
}

/** All of the conditions. */
export function allSql(conditions: readonly SqlCondition[]): SqlCondition {
  const [only] = conditions;
  if (only === undefined) return ALWAYS;
  return conditions.length === 1 ? only : join("AND", conditions);
}

/** Any of the conditions, of which there is at least one. */
export function anySql(conditions: readonly SqlCondition[]): SqlCondition {
  const [only] = conditions;
  return only && conditions.length === 1 ? only : join("OR", conditions);
}
