import { type TempDir, tempDir } from "./temp-dir.js";

/** A home folder of its own for one test. */
export interface TempHome extends TempDir {
  /** Where its store lives; not created. */
  readonly statePath: string;
}

/** Creates an empty home; it vanishes with its scope. */
export function tempHome(): TempHome {
  const dir = tempDir("home");
  return { ...dir, statePath: dir.file("state.db") };
}
