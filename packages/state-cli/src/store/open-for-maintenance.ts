import { realpathSync } from "node:fs";
import { findHolders, openStateStore, StateError } from "@hermes/state-core";
import type { Holder, StateStore } from "@hermes/state-core";
import { sanitizeLine } from "../output/sanitize.js";
import type { VerbContext } from "../verb.js";
import { locateStore } from "./locate-store.js";
import { isAbsent, openForWriting } from "./open-store.js";

/** Options of the verbs that rewrite much of the file. */
export interface MaintenanceOptions {
  /** Also while other processes have the store open. */
  readonly force?: boolean;
}

/** Refuses while other processes have the store open, and says which. */
export function storeHeldElsewhere(path: string, holders: readonly Holder[]): StateError {
  const list = holders.map(({ pid, command }) => ({ pid, command }));
  const who = list.map(({ pid, command }) => `process ${pid} (${sanitizeLine(command)})`).join(", ");
  const message = `${path} is open in other processes: ${who}. End them, or let them wait with --force.`;
  return new StateError("STATE_E_STORE_HELD", message, { path, holders: list });
}

/**
 * Opens the store for a verb that rewrites much of the file, unless another process has it open: that would wait for as
 * long as it takes.
 *
 * @returns Undefined on a home without a store, where there is nothing to do.
 * @throws STATE_E_STORE_HELD without `force`, STATE_E_STORE_MISSING, STATE_E_READONLY, and whatever opening throws.
 */
export function openForMaintenance(
  context: VerbContext,
  { force = false }: MaintenanceOptions,
): StateStore | undefined {
  const { path, named } = locateStore(context.options);
  if (isAbsent(path)) {
    if (!named) return undefined;
    // Says that a named file is missing; the open for writing would make it.
    openStateStore({ path, mode: "read" }).close();
  }
  const { holders } = findHolders(realpathSync(path));
  if (!force && holders.length > 0) throw storeHeldElsewhere(path, holders);
  return openForWriting(context);
}
