import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { repoRoot } from "../config/repo-root.js";
import type { ChildExit } from "../process/spawn-child.js";
import { spawnNode } from "../process/spawn-node.js";
import { tempDir } from "../temp/temp-dir.js";
import { choosePoints } from "./choose-points.js";

/** A scenario that is killed at many of its statements. */
export interface CrashCase {
  /** A closed store with nothing in its log; each run works on a copy. */
  readonly pristine: string;
  /**
   * Script of the child, called with the path of the copy and `args`. It publishes `"begin"` and `"end"` on the
   * diagnostics channel `hermes:test:scenario`.
   */
  readonly script: string;
  readonly args?: readonly string[];
  /** How many points, see {@link choosePoints}. */
  readonly most: number;
  /** What must hold after a kill; it may finish the work on the copy, with this process's own code. */
  verify(path: string, context: string): void | Promise<void>;
}

/** What a matrix went through. */
export interface CrashReport {
  /** Statements of one whole run. */
  readonly statements: number;
  readonly distinct: number;
  /** Runs that were killed. */
  readonly points: number;
}

const SIDECARS = ["", "-wal", "-shm"];

/**
 * Runs a scenario once to learn its statements, then once per point in a process that dies of SIGKILL right before that
 * statement, or behind the last one; verifies what each left behind. Two children run at a time.
 *
 * @throws What `verify` throws, and Error when a child ends otherwise than by its kill.
 */
export async function runCrashMatrix(test: CrashCase): Promise<CrashReport> {
  using dir = tempDir("crash");
  const statements = await recordStatements(test, dir.file("whole.db"), dir.file("statements.json"));
  const points = choosePoints(statements, test.most);
  const runAt = async (point: number): Promise<void> => {
    const path = dir.file(`at-${String(point)}.db`);
    const sql = statements[point - 1]?.trim().replaceAll(/\s+/g, " ").slice(0, 120) ?? "the end";
    const context = `killed before statement ${String(point)} of ${String(statements.length)}: ${sql}`;
    const end = await runChild(test, path, `at=${String(point)}`);
    if (end.signal !== "SIGKILL" || end.timedOut) throw new Error(`${context}: ${JSON.stringify(end)}`);
    await test.verify(path, context);
    for (const suffix of SIDECARS) rmSync(path + suffix, { force: true });
  };
  const waiting = [...points];
  const lane = async (): Promise<void> => {
    try {
      for (let point = waiting.shift(); point !== undefined; point = waiting.shift()) await runAt(point);
    } finally {
      waiting.length = 0;
    }
  };
  // Both have ended before the folder goes.
  for (const end of await Promise.allSettled([lane(), lane()])) if (end.status === "rejected") throw end.reason;
  return { statements: statements.length, distinct: new Set(statements).size, points: points.length };
}

async function recordStatements(test: CrashCase, path: string, list: string): Promise<readonly string[]> {
  const end = await runChild(test, path, `record=${encodeURIComponent(list)}`);
  if (end.code !== 0) throw new Error(`the whole scenario failed: ${JSON.stringify(end)}`);
  await test.verify(path, "not killed");
  return JSON.parse(readFileSync(list, "utf8")) as string[];
}

/** Somebody builds a package at this moment: the child found half of it, and did not come to its scenario. */
const failedToLoad = (end: ChildExit): boolean => end.code === 1 && !end.stdout.startsWith("begun");
const MOST_TRIES = 10;

async function runChild(test: CrashCase, path: string, preload: string): Promise<ChildExit> {
  const hook = pathToFileURL(join(repoRoot(), "packages", "testkit", "children", "die-at-statement.mjs"));
  for (let tries = 1; ; tries++) {
    copyFileSync(test.pristine, path);
    await using child = spawnNode(test.script, [path, ...(test.args ?? [])], {
      execArgv: ["--import", `${hook.href}?${preload}`],
      timeout: 60_000,
    });
    const end = await child.exit;
    if (!failedToLoad(end) || tries === MOST_TRIES) return end;
    await setTimeout(1000);
  }
}
