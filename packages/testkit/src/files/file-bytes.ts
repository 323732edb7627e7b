import { spawnSync } from "node:child_process";

/**
 * SHA-256 of a file in lower-case hex, or undefined when it does not exist.
 *
 * A process of its own reads it: closing any descriptor of a database that is open here cancels this process's locks.
 */
export function fileHash(path: string): string | undefined {
  return inChild(path, "require('node:crypto').createHash('sha256').update(bytes).digest('hex')");
}

/**
 * Bytes `from` up to but not including `to` of a file, in lower-case hex; read in a process of its own.
 */
export function fileBytes(path: string, from: number, to: number): string | undefined {
  return inChild(path, `bytes.subarray(${String(from)}, ${String(to)}).toString("hex")`);
}

function inChild(path: string, expression: string): string | undefined {
  const code = `const fs = require("node:fs");
    if (fs.existsSync(process.argv[1])) {
      const bytes = fs.readFileSync(process.argv[1]);
      process.stdout.write(${expression});
    }`;
  const run = spawnSync(process.execPath, ["-e", code, path], { encoding: "utf8", timeout: 60_000 });
  if (run.status !== 0) throw new Error(`cannot read ${path}: ${run.stderr}`);
  return run.stdout === "" ? undefined : run.stdout;
}
