import type { Child, ChildExit } from "./spawn-child.js";

/** Kills the child `ms` milliseconds from now, unless it is gone by then, and waits for its end. */
export async function killAfter(child: Child, ms: number): Promise<ChildExit> {
  const timer = setTimeout(() => {
    child.kill();
  }, ms);
  const end = await child.exit;
  clearTimeout(timer);
  return end;
}

/** Kills the child as soon as it prints `line`, and waits for its end. */
export async function killAtLine(child: Child, line: string): Promise<ChildExit> {
  await child.waitForLine((seen) => seen === line);
  child.kill();
  return child.exit;
}
