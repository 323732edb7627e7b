import { randomBytes } from "node:crypto";

/** Randomness as the store uses it: retry jitter, tokens, holder names. Injected, so that tests can repeat a run. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** `bytes` random bytes in lower-case hex. */
  hex(bytes: number): string;
}

/** The randomness of the machine. */
export const systemRandom: Random = {
  next: () => Math.random(),
  hex: (bytes) => randomBytes(bytes).toString("hex"),
};
