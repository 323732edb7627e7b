import { spawnSync } from "node:child_process";
import { tempDir } from "@hermes/testkit";

/** A volume of 64 MiB of its own, gone with its scope. */
export interface SmallVolume extends Disposable {
  readonly file: (name: string) => string;
}

/** Mounts a small volume; undefined where this user may not mount (then a test injects what the volume would say). */
export function smallVolume(): SmallVolume | undefined {
  const dir = tempDir("volume");
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", dir.path], { timeout: 10_000 });
  if (mounted.status !== 0) {
    dir[Symbol.dispose]();
    return undefined;
  }
  return {
    file: dir.file,
    [Symbol.dispose]: () => {
      spawnSync("umount", ["-l", dir.path], { timeout: 10_000 });
      dir[Symbol.dispose]();
    },
  };
}
