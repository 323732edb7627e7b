import type { ExtendedCall, StateStore } from "@hermes/state-core";
import { publicMethods } from "./public-methods.js";
import type { RowSpelling } from "./rows.js";
import { SessionDB } from "./session-db.js";

/** A method of the one-object store as a worker is asked for it. */
export interface ServedCall {
  readonly rows: RowSpelling;
  readonly args: readonly unknown[];
  /** The caller wants to be told where the work is. */
  readonly tells: boolean;
}

type Method = (...args: readonly unknown[]) => unknown;

/** The one-object store over the store that a worker has opened (COR-38). */
export function serveStore(store: StateStore): ExtendedCall {
  const served = new Set(publicMethods(SessionDB));
  const facades = { camel: new SessionDB(store), peer: new SessionDB(store, { rows: "peer" }) };
  return (method, [call], note) => {
    if (!served.has(method)) throw new TypeError(`SessionDB has no method ${method}.`);
    const { rows, args, tells } = call as ServedCall;
    const facade = facades[rows] as unknown as Readonly<Record<string, Method>>;
    const given = tells ? [{ ...(args[0] as object), progressCb: note }] : args;
    return facade[method]?.(...given);
  };
}
