/** A queue that must be emptied before the process ends. */
export interface ExitDrained {
  drainAtExit(): void;
}

/** Weak: neither a queue nor anything it belongs to lives on because of the hook (COR-04). */
const pending = new Map<object, WeakRef<ExitDrained>>();

let watching = false;
let ending = false;

function drainAll(): void {
  ending = true;
  for (const queue of pending.values()) queue.deref()?.drainAtExit();
  pending.clear();
}

/** Begins to watch for the end of the process; the first call installs the one hook there is. */
export function watchExit(): void {
  if (watching) return;
  watching = true;
  process.on("exit", drainAll);
}

/** True once the end of the process has begun: the hook has run and will not run again. */
export function isProcessEnding(): boolean {
  return ending;
}

/**
 * Has a queue emptied when the process ends before somebody else does it.
 *
 * @param key - Names the registration to {@link forgetAtExit}.
 */
export function drainAtExit(key: object, queue: WeakRef<ExitDrained>): void {
  pending.set(key, queue);
}

/** Undoes {@link drainAtExit}. */
export function forgetAtExit(key: object): void {
  pending.delete(key);
}

/**
 * Warns at once: at the end of the process an ordinary warning would come too late to be printed.
 *
 * @param code - As of other process warnings.
 */
export function warnNow(code: string, message: string): void {
  process.emit("warning", Object.assign(new Error(message), { name: "HermesStateWarning", code }));
}
