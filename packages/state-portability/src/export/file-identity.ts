import { statSync } from "node:fs";

/** Changes when a file is written to, replaced or removed. */
export function fileIdentity(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat ? [stat.dev, stat.ino, stat.size, stat.mtimeNs].join(":") : "none";
}
