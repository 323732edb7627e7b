import { createRequire } from "node:module";
import type koffi from "koffi";

const LOCK_SH_NB = 5;
const LOCK_EX_NB = 6;
const LOCK_UN = 8;

type Koffi = typeof koffi;

let native: { flock: (fd: number, operation: number) => number; errno: () => number } | undefined;

function load(): NonNullable<typeof native> {
  if (native) return native;
  const library = createRequire(import.meta.url)("koffi") as Koffi;
  const flock = library.load(null).func("int flock(int, int)") as (fd: number, operation: number) => number;
  native = { flock, errno: () => library.errno() };
  return native;
}

/**
 * Tries to take the kernel lock of an open descriptor, the one Python's `fcntl.flock` takes.
 *
 * @param mode - `exclusive` keeps everybody out, `shared` only the exclusive ones.
 * @returns 0 when it is held now, else the errno of the refusal. The lock ends with the descriptor.
 */
export function tryFlock(descriptor: number, mode: "exclusive" | "shared" = "exclusive"): number {
  const { flock, errno } = load();
  return flock(descriptor, mode === "shared" ? LOCK_SH_NB : LOCK_EX_NB) === 0 ? 0 : errno();
}

/** Gives the lock of a descriptor back. */
export function releaseFlock(descriptor: number): void {
  load().flock(descriptor, LOCK_UN);
}
