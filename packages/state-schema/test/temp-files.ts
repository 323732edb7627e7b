import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that is gone when the test is over. */
export interface TempFolder extends Disposable {
  readonly path: string;
  /** A path inside it. */
  file(name: string): string;
}

/** Creates a folder for a test. */
export function tempFolder(): TempFolder {
  const path = mkdtempSync(join(tmpdir(), "state-schema-"));
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
