import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Makes a temporary folder for its owner only, which is gone when the process ends: by itself or by a signal.
 *
 * @param label - Part of its name, so that a left-over tells where it comes from.
 */
export function privateFolder(label: string): string {
  const folder = mkdtempSync(join(tmpdir(), `hermes-${label}-`));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const [signal, code] of Object.entries(SIGNALS)) {
    // A verb that handles the signal itself ends the process in its own way.
    process.once(signal, () => {
      if (process.listenerCount(signal) === 0) process.exit(code);
    });
  }
  return folder;
}
