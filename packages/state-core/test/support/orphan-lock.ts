import { childEnvironment, spawnChild } from "@hermes/testkit";
import type { Child } from "@hermes/testkit";
import { childScript } from "../worker.js";

/** A Python process that holds a lock; with `fork`, a child of it holds it too. */
export async function startHolder(path: string, fork = false): Promise<{ holder: Child; pid: number; child: number }> {
  const script = childScript("hold-lock.py");
  const holder = spawnChild("python3", [script, path, ...(fork ? ["fork"] : [])], { env: childEnvironment() });
  const { pid, child } = JSON.parse(await holder.waitForLine((line) => line.startsWith("{"))) as Record<string, number>;
  return { holder, pid: pid ?? 0, child: child ?? 0 };
}

/** The same, killed: the lock lives on in the child, which has to be ended. */
export async function orphanLock(path: string): Promise<{ pid: number } & Disposable> {
  const { holder, pid, child } = await startHolder(path, true);
  holder.kill();
  await holder.exit;
  return { pid, [Symbol.dispose]: () => process.kill(child, "SIGKILL") };
}
