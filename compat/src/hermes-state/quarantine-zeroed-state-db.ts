import { existsSync, renameSync } from "node:fs";
import {
  acquireKernelLock,
  canonicalPath,
  findHolders,
  isStateError,
  openOfflineScope,
  SIDECAR_SUFFIXES,
  systemClock,
} from "@hermes/state-core";
import { isZeroedStateDb } from "./is-zeroed-state-db.js";

const LOCK = ".quarantine.lock";
const WAIT_MS = 5_000;
/** Somebody else may just be looking at the file as we do. */
const LOOKS = 5;
const LOOK_AGAIN_MS = 50;

/** `20261130-120000`, in universal time. */
function stamp(seconds: number): string {
  const [day = "", time = ""] = new Date(seconds * 1000).toISOString().split(/[T.]/);
  return `${day.replaceAll("-", "")}-${time.replaceAll(":", "")}`;
}

function freeName(path: string): string {
  const base = `${path}.zeroed-${stamp(systemClock.now())}-${process.pid}`;
  for (let number = 0; ; number++) {
    const name = `${base}${number === 0 ? "" : `-${number}`}.bak`;
    if (!["", ...SIDECAR_SUFFIXES].some((suffix) => existsSync(name + suffix))) return name;
  }
}

function isHeld(path: string): boolean {
  for (let look = 1; look <= LOOKS; look++) {
    if (!findHolders(path).holders.some(({ pid, files }) => pid < 0 || files.length > 0)) return false;
    if (look < LOOKS) systemClock.sleep(LOOK_AGAIN_MS);
  }
  return true;
}

/** The sidecars go first: a crash in between leaves a file that is still refused, and no log without its file. */
function moveAway(path: string): string | null {
  if (!isZeroedStateDb(path) || isHeld(path)) return null;
  const name = freeName(path);
  using _scope = openOfflineScope(path);
  for (const suffix of SIDECAR_SUFFIXES) {
    if (existsSync(path + suffix)) renameSync(path + suffix, name + suffix);
  }
  renameSync(path, name);
  return name;
}

/**
 * Moves a file that begins with zeros out of the way, with its log; the next open for writing makes a new store.
 * Nothing is deleted, and nothing that anybody has open is touched. Of several processes one moves it.
 *
 * @returns Where the file is now; null when it was left, for whatever reason.
 */
export function quarantineZeroedStateDb(path: string): string | null {
  const real = canonicalPath(path);
  if (!isZeroedStateDb(real)) return null;
  const lock = acquireKernelLock(real + LOCK, WAIT_MS, systemClock);
  if (lock.kind !== "acquired") return null;
  try {
    return moveAway(real);
  } catch (error) {
    // A store of this process was faster; any other failure is the caller's to know.
    if (isStateError(error, "STATE_E_LIVE_CONNECTION")) return null;
    throw error;
  } finally {
    lock.release();
  }
}
