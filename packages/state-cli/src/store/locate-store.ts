import { resolve } from "node:path";
import { defaultStatePath } from "@hermes/state-core";
import type { GlobalOptions } from "../options/global-options.js";

/** Where the store is, and whether the user named the file. */
export interface StoreLocation {
  readonly path: string;
  /** `--db` was given: then a missing file is an error, not an empty store. */
  readonly named: boolean;
}

/** Resolves `--db` and `--home` now; the default is computed when the command runs (COR-12). */
export function locateStore(options: GlobalOptions): StoreLocation {
  if (options.db !== undefined) return { path: resolve(options.db), named: true };
  return { path: defaultStatePath(options.home), named: false };
}
