import type { SessionDB } from "./session-db.js";

type Promised<A extends readonly unknown[], R> = (...args: A) => Promise<Awaited<R>>;

/** A method as an asynchronous one, with all of its ways to be called. */
export type AsyncCall<F> = F extends {
  (...args: infer A1): infer R1;
  (...args: infer A2): infer R2;
  (...args: infer A3): infer R3;
}
  ? Promised<A1, R1> & Promised<A2, R2> & Promised<A3, R3>
  : never;

type MethodName = {
  [K in keyof SessionDB]: SessionDB[K] extends (...args: never[]) => unknown ? (K extends string ? K : never) : never;
}[keyof SessionDB];

/** Every method of `SessionDB`, as a promise of what it returns. */
export type AsyncMethods = { readonly [K in MethodName]: AsyncCall<SessionDB[K]> };
