import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { childEnvironment, repoRoot, tempDir } from "@hermes/testkit";

/** What a process said before it ended. */
export interface Ended {
  readonly lines: readonly string[];
  readonly stderr: string;
  readonly code: number | null;
}

/** A folder of plugins beside which the layer is installed. */
export interface PluginFolder extends Disposable {
  readonly path: string;
  /** Runs Node in the folder, with `HERMES_STATE_COMPAT` as given. Each warning is a line: its code and its detail. */
  node(mode: string | undefined, ...args: readonly string[]): Ended;
}

const WATCH = 'process.on("warning", ({ code, detail }) => console.log(code, detail?.split(". See:")[0]));';

/** @param files - Text by path below the folder. */
export function pluginFolder(files: Readonly<Record<string, string>>): PluginFolder {
  const dir = tempDir("plugins");
  const all = { "package.json": '{"name":"the-host"}', "watch.cjs": WATCH, ...files };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(dir.file(name)), { recursive: true });
    writeFileSync(dir.file(name), text);
  }
  mkdirSync(dir.file("node_modules/@hermes"), { recursive: true });
  symlinkSync(join(repoRoot(), "compat"), dir.file("node_modules/@hermes/compat"));
  return {
    path: dir.path,
    node(mode, ...args) {
      const env = childEnvironment({ HERMES_STATE_COMPAT: mode, HERMES_HOME: dir.file("home") });
      const options = { cwd: dir.path, encoding: "utf8", env, timeout: 30_000 } as const;
      const all = ["--no-warnings", "--require", "./watch.cjs", ...args];
      const { status, stdout, stderr } = spawnSync(process.execPath, all, options);
      return { lines: stdout.trim().split("\n").filter(Boolean), stderr, code: status };
    },
    [Symbol.dispose]: () => {
      dir[Symbol.dispose]();
    },
  };
}
