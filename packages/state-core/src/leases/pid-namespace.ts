import { readFileSync, readdirSync, readlinkSync } from "node:fs";

let own: number | undefined;

/** The PID namespace of this process (Linux), or undefined where there are none. */
export function ownPidNamespace(): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    own ??= Number(/\[(\d+)\]/.exec(readlinkSync("/proc/self/ns/pid"))?.[1]);
  } catch {
    // No /proc: process ids are compared as they are.
    return undefined;
  }
  return own;
}

/** The ids a process has, in this namespace first and in its own last. */
function namespaceIds(pid: string): readonly string[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return (/^NSpid:\s*(.*)$/m.exec(status)?.[1] ?? "").split(/\s+/);
  } catch {
    // It ended while we looked.
    return [];
  }
}

/**
 * True when a process in a namespace below this one, such as a container on this machine, calls itself by this id
 * (Linux). The same number means nothing here then.
 */
export function isPidOfNestedNamespace(pid: number): boolean {
  if (ownPidNamespace() === undefined) return false;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(namespaceIds)
    .some((ids) => ids.length > 1 && ids.at(-1) === String(pid));
}
