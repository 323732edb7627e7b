import type { SqlValue } from "@hermes/state-schema";

/** A condition on `sessions AS s` and what to bind to it. */
export interface FilterSql {
  readonly where: string;
  readonly params: readonly SqlValue[];
}

/** Conditions that are all to hold. */
export class Conditions {
  readonly #where: string[] = [];
  readonly #params: SqlValue[] = [];

  add(condition: string, ...params: SqlValue[]): void {
    this.#where.push(`(${condition})`);
    this.#params.push(...params);
  }

  done(): FilterSql {
    return { where: this.#where.length === 0 ? "1" : this.#where.join(" AND "), params: this.#params };
  }
}
