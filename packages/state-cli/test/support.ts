import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { childEnvironment, repoRoot } from "@hermes/testkit";

/** How a run of the command ended. */
export interface CommandRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Surroundings of a run. */
export interface CommandOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly execArgv?: readonly string[];
  /** Run as this user; only root may. */
  readonly uid?: number;
  readonly cwd?: string;
}

/** The built command. */
export function commandPath(): string {
  const path = join(repoRoot(), "packages", "state-cli", "dist", "cli.js");
  if (!existsSync(path)) throw new Error("packages/state-cli is not built; run: turbo run build");
  return path;
}

/** Runs the built command to its end, in at most a minute. */
export function hermes(words: readonly string[], options: CommandOptions = {}): CommandRun {
  const run = spawnSync(process.execPath, [...(options.execArgv ?? []), commandPath(), ...words], {
    encoding: "utf8",
    timeout: 60_000,
    maxBuffer: 64 * 1024 * 1024,
    input: options.input ?? "",
    env: childEnvironment(options.env ?? {}),
    cwd: options.cwd,
    uid: options.uid,
    gid: options.uid,
  });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr };
}

/** Runs the command with `--json` and parses its document. */
export function hermesJson<T = Record<string, unknown>>(words: readonly string[], options: CommandOptions = {}): T {
  const { code, stdout, stderr } = hermes([...words, "--json"], options);
  if (stdout === "") throw new Error(`hermes-state ${words.join(" ")} ended with ${String(code)}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** Fills a home with one session that has two messages. */
export function fillHome(home: string): void {
  const made = hermes(["sessions", "create", "--home", home, "--id", "s1", "--source", "cli", "--title", "First 旅行"]);
  const lines = [
    { role: "user", content: "why is the deploy flaky? 修复数据库" },
    {
      role: "assistant",
      content: "It races with the migration.",
      tool_calls: [{ id: "c", function: { name: "ls", arguments: "{}" } }],
    },
  ];
  const input = lines.map((line) => JSON.stringify(line)).join("\n");
  const wrote = hermes(["sessions", "append", "s1", "--home", home, "--jsonl", "-"], { input });
  if (made.code !== 0 || wrote.code !== 0) throw new Error(made.stderr + wrote.stderr);
}
