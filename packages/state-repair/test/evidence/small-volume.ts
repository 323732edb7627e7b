import { spawnSync } from "node:child_process";
import { tempDir } from "@hermes/testkit";

/** Runs one program of the system by its name; true when it is there and succeeds. */
function run(program: "mount" | "umount", args: readonly string[]): boolean {
  return spawnSync(program, [...args], { timeout: 10_000 }).status === 0;
}

/** A volume of 64 MiB of its own, gone with its scope. */
export interface SmallVolume extends Disposable {
  readonly file: (name: string) => string;
}

/** Mounts a small volume; undefined where this user may not mount (then a test injects what the volume would say). */
export function smallVolume(): SmallVolume | undefined {
  const dir = tempDir("volume");
  if (!run("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", dir.path])) {
    dir[Symbol.dispose]();
    return undefined;
  }
  return {
    file: dir.file,
    [Symbol.dispose]: () => {
      run("umount", ["-l", dir.path]);
      dir[Symbol.dispose]();
    },
  };
}
