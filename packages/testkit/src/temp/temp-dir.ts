import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that vanishes with its scope: `using dir = tempDir()` or `await using`. */
export interface TempDir extends Disposable, AsyncDisposable {
  /** Real path of the folder. */
  readonly path: string;
  /** Path of a file inside it; nothing is created. */
  file(name: string): string;
}

/**
 * Creates an empty folder under the system's temp folder.
 *
 * @param label - Part of its name, so that a left-over tells where it comes from.
 */
export function tempDir(label = "test"): TempDir {
  const path = mkdtempSync(join(realpathSync(tmpdir()), `hermes-${label}-`));
  const remove = (): void => {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  };
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.dispose]: remove,
    [Symbol.asyncDispose]: () => {
      remove();
      return Promise.resolve();
    },
  };
}
