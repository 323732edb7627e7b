import type { SqlValue } from "@hermes/state-schema";

/** One call that a store made on its driver, exact enough to make it again. */
export interface Op {
  /** Which of the recorded connections, in the order they were opened. */
  readonly connection: number;
  readonly kind: "run" | "get" | "all" | "exec" | "pragma";
  readonly sql: string;
  readonly shape: "object" | "tuple";
  readonly params: readonly SqlValue[];
}
