import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

/**
 * A file is replaced whole, with its mode: killed here, the old one is still there.
 *
 * @param link - The file, or a link to it, which stays one.
 */
export function replaceFile(link: string, text: string): void {
  const file = realpathSync(link);
  const next = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(next, text, { flag: "wx" });
    chmodSync(next, statSync(file).mode & 0o777);
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}
