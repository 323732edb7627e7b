import { hasWalResetBug } from "@hermes/state-core";
import { sqliteVersion } from "./sqlite-library.js";

/**
 * Whether a SQLite library can lose committed pages when it resets a write-ahead log.
 *
 * @param versionInfo - `[3, 50, 4]` or `"3.50.4"`; the library that stores are opened with when absent.
 * @throws TypeError for what is no version.
 */
export function isSqliteWalResetVulnerable(versionInfo: string | readonly number[] = sqliteVersion()): boolean {
  const version = typeof versionInfo === "string" ? versionInfo : [...versionInfo].join(".");
  if (!/^\d+(?:\.\d+)*$/.test(version)) {
    throw new TypeError(`isSqliteWalResetVulnerable: ${JSON.stringify(versionInfo)} is no version like "3.50.4".`);
  }
  return hasWalResetBug(version);
}
