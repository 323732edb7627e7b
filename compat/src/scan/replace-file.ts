import { chmodSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

/** A file is replaced whole, with its mode: killed here, the old one is still there. */
export function replaceFile(file: string, text: string): void {
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
