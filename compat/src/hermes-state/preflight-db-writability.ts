import { accessSync, chmodSync, constants, statSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { checkKnownOptions, StateError, stateHome } from "@hermes/state-core";

interface Target {
  readonly path: string;
  /** What is asked of it, as `access` takes it. */
  readonly needed: number;
  /** What gives it, as `chmod` takes it. */
  readonly bits: number;
  readonly words: string;
}

const { R_OK, W_OK, X_OK } = constants;

function targetsOf(path: string): Target[] {
  const folder = { path: dirname(path), needed: R_OK | W_OK | X_OK, bits: 0o700, words: "u+rwx" };
  const files = [path, `${path}-wal`, `${path}-shm`];
  return [folder, ...files.map((file) => ({ path: file, needed: R_OK | W_OK, bits: 0o600, words: "u+rw" }))];
}

function trouble({ path, needed }: Target): NodeJS.ErrnoException | undefined {
  try {
    accessSync(path, needed);
    return undefined;
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    return failure.code === "ENOENT" ? undefined : failure;
  }
}

/** What lies in the user's own home of the program is given back to the user; nothing else is. */
function mend({ path, bits }: Target): void {
  if (path !== stateHome() && !path.startsWith(stateHome() + sep)) return;
  try {
    chmodSync(path, statSync(path).mode | bits);
  } catch {
    // It is of somebody else, and the error below says so.
  }
}

function notAccessible(label: string, target: Target, cause: NodeJS.ErrnoException): StateError {
  const keep = target.path.endsWith("-wal") ? " Do not delete it: it holds messages that are nowhere else." : "";
  return new StateError(
    "STATE_E_NOT_ACCESSIBLE",
    `${label} cannot be opened for writing, since ${target.path} is not accessible (${cause.code ?? cause.message}). ` +
      `Run: chmod ${target.words} ${JSON.stringify(target.path)}.${keep}`,
    { path: target.path, errno: cause.code },
    { cause },
  );
}

/**
 * Makes sure, before a store is opened, that its folder, its file and its log may be read and written; in the home of
 * the program it tries once to make them so. Nothing is opened, created or deleted.
 *
 * @param options - `dbLabel`: what the error calls the store; default "state.db".
 * @throws StateError `STATE_E_NOT_ACCESSIBLE`, which names the file and the command that mends it.
 */
export function preflightDbWritability(dbPath: string, options: { readonly dbLabel?: string } = {}): void {
  checkKnownOptions("preflightDbWritability", options, ["dbLabel"]);
  if (dbPath === ":memory:" || dbPath.startsWith("file:")) return;
  for (const target of targetsOf(resolve(dbPath))) {
    if (!trouble(target)) continue;
    mend(target);
    const still = trouble(target);
    if (still) throw notAccessible(options.dbLabel ?? "state.db", target, still);
  }
}
