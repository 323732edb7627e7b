import { statSync } from "node:fs";
import { openStateStore, StateError } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import type { VerbContext } from "../verb.js";
import { needsCopy, openCopy } from "./copy-unwritable.js";
import { locateStore } from "./locate-store.js";

/** True when nothing has been written at `path` yet: no file, or one without a byte. */
export function isAbsent(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined || (stat.isFile() && stat.size === 0);
}

/**
 * Opens the store for a verb that only reads: nothing is created and no byte of the file changes. On a home without a
 * store the verb gets undefined and answers with an empty result.
 *
 * @throws STATE_E_STORE_MISSING when `--db` names a file that is not there, and whatever opening throws.
 */
export function openForReading(context: VerbContext): StateStore | undefined {
  const { path, named } = locateStore(context.options);
  if (!named && isAbsent(path)) return undefined;
  if (needsCopy(path)) return openCopy(path, (text) => context.output.notice(text));
  return openStateStore({ path, mode: "read" });
}

/**
 * Opens the store for a verb that writes, and creates it when there is none.
 *
 * @throws STATE_E_READONLY with `--readonly`, and whatever opening throws.
 */
export function openForWriting(context: VerbContext): StateStore {
  const { path } = locateStore(context.options);
  if (context.options.readonly) {
    throw new StateError("STATE_E_READONLY", "This command writes, and --readonly forbids it. Leave --readonly out.", {
      path,
    });
  }
  return openStateStore({ path });
}
