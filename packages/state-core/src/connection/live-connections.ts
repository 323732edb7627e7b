import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { StateError } from "../errors/state-error.js";

interface LiveEntry {
  connections: number;
  offline: number;
  /** What else is closed with the last connection. */
  closing?: Set<() => void>;
}

/** One table for every copy of this package in the process: the hazard is the process's, not the module's. */
const TABLE = Symbol.for("hermes.state.liveConnections");
const holder = globalThis as unknown as Record<symbol, Map<string, LiveEntry> | undefined>;
const live = (holder[TABLE] ??= new Map<string, LiveEntry>());

const LINK_HOPS = 40;

/** Where a link points to whose target is not there; undefined for anything else. */
function danglingTarget(path: string): string | undefined {
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    // No link, or nothing at all.
    return undefined;
  }
}

/** The one spelling of a path: links resolved, also when only its folder exists yet. */
export function canonicalPath(path: string, hops = 0): string {
  try {
    return realpathSync(path);
  } catch {
    const target = hops < LINK_HOPS ? danglingTarget(path) : undefined;
    if (target !== undefined) return canonicalPath(target, hops + 1);
  }
  // The file is not there yet; its folder decides.
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

function entry(path: string): LiveEntry {
  const key = canonicalPath(path);
  let found = live.get(key);
  if (!found) live.set(key, (found = { connections: 0, offline: 0 }));
  return found;
}

function dropIfIdle(key: string, found: LiveEntry): void {
  if (found.connections === 0 && found.offline === 0 && live.get(key) === found) live.delete(key);
}

/**
 * Opens a connection and registers it in one step, so that no raw access can come between (COR-07).
 *
 * @param path - Canonical path of the database.
 * @returns What `open` returned, and the function that unregisters it after its close succeeded.
 * @throws STATE_E_OFFLINE_IN_USE while an offline scope of this process works on the file.
 */
export function openRegistered<T>(path: string, open: () => T): { connection: T; unregister: () => void } {
  const key = canonicalPath(path);
  const found = entry(key);
  if (found.offline > 0) {
    throw new StateError(
      "STATE_E_OFFLINE_IN_USE",
      `${path} is being read offline by this process; open it when that has finished.`,
      { path },
    );
  }
  found.connections += 1;
  let registered = true;
  const unregister = (): void => {
    if (!registered) return;
    registered = false;
    found.connections -= 1;
    dropIfIdle(key, found);
    if (found.connections === 0) closeCompanions(found);
  };
  try {
    return { connection: open(), unregister };
  } catch (error) {
    unregister();
    throw error;
  }
}

function closeCompanions(found: LiveEntry): void {
  const closing = [...(found.closing ?? [])];
  found.closing?.clear();
  for (const close of closing) close();
}

/**
 * Has something closed together with this process's last connection to a database: a file of its own beside it, of
 * which nobody would know when to let go.
 *
 * @param close - Called once, and must not throw.
 * @returns False when no connection is open; then `close` is never called.
 */
export function closeWithLastConnection(path: string, close: () => void): boolean {
  const found = live.get(canonicalPath(path));
  if (found === undefined || found.connections === 0) return false;
  (found.closing ??= new Set()).add(close);
  return true;
}

/** How many connections of this process are open on the file. */
export function liveConnectionCount(path: string): number {
  return live.get(canonicalPath(path))?.connections ?? 0;
}

/**
 * A window in which this process may open, read, copy or hash the file by descriptor: closing any descriptor on a
 * database drops every POSIX lock the process holds on it, so it is refused while a connection is live (COR-07).
 * While the scope is open, connections to the file are refused in turn.
 *
 * @example
 * ```ts
 * using scope = openOfflineScope("state.db");
 * copyFileSync(scope.path, "copy.db");
 * ```
 * @throws STATE_E_LIVE_CONNECTION when this process has the database open.
 */
export function openOfflineScope(path: string): { readonly path: string } & Disposable {
  const key = canonicalPath(path);
  const found = entry(key);
  if (found.connections > 0) {
    throw new StateError(
      "STATE_E_LIVE_CONNECTION",
      `${path} is open in this process (${found.connections} connections); raw access would drop their locks. ` +
        "Close the store first, or read through it.",
      { path, connections: found.connections },
    );
  }
  found.offline += 1;
  let open = true;
  return {
    path: key,
    [Symbol.dispose]() {
      if (!open) return;
      open = false;
      found.offline -= 1;
      dropIfIdle(key, found);
    },
  };
}
