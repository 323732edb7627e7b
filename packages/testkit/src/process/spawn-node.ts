import { childEnvironment } from "../config/environment.js";
import { type Child, spawnChild } from "./spawn-child.js";

/** Bounds and surroundings of a Node child. */
export interface NodeChildOptions {
  /** Milliseconds after which it is killed; 60,000 when not given. */
  readonly timeout?: number;
  readonly cwd?: string;
  /** Changes to its environment, which carries no mark of the test runner; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Flags of node itself. */
  readonly execArgv?: readonly string[];
  /** Called with each complete line of standard output. */
  readonly onLine?: (line: string) => void;
}

/**
 * Starts a script in a Node process of its own. What it imports by package name comes from the build, so
 * `turbo run build` goes first.
 *
 * @param script - Path of a script file.
 * @param args - Its arguments.
 */
export function spawnNode(script: string, args: readonly string[] = [], options: NodeChildOptions = {}): Child {
  return spawnChild(process.execPath, [...(options.execArgv ?? []), script, ...args], {
    timeout: options.timeout ?? 60_000,
    env: childEnvironment(options.env),
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    ...(options.onLine !== undefined && { onLine: options.onLine }),
  });
}
