import { chmodSync, copyFileSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { TempFolder } from "../temp-files.js";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const FOLDER = resolve(ROOT, process.env["HERMES_PEER_FILES"] || join("..", "shared", "fixtures", "peer"));
const ABSENT = "the folder of peer files is absent; set HERMES_PEER_FILES to it";

/** Files that real peers of several ages wrote. */
export const PEER_FILES: readonly string[] = [
  ...["v02", "v04", "v06", "v08", "v11", "v14", "v16", "v20", "v22", "v23", "v26", "v30-hybrid"],
  ...["v26-from-v22", "v26-from-v04-direct", "v26-from-v04-chain", "v26-rebuild-pending", "small"],
].map((label) => `peer-${label}`);

/**
 * Copies a peer's file into a folder of the test.
 *
 * @param name - As in {@link PEER_FILES}.
 */
export function copyPeerFile(name: string, folder: TempFolder): string {
  const path = folder.file(`${name}.db`);
  copyFileSync(join(FOLDER, `${name}.db`), path);
  chmodSync(path, 0o600);
  return path;
}

/** Path of what a peer's own readers return for its file. */
export function expectedPath(name: string): string {
  return join(FOLDER, `${name}.expected.json`);
}

/**
 * A `describe` over peer files: skipped with a plain message where they are absent, failed when REQUIRE_PEER_FILES=1
 * says that they must be there. The testkit has the same for packages above this one.
 */
export function describePeer(title: string, define: () => void): void {
  if (existsSync(FOLDER)) {
    describe(title, define);
  } else if (process.env["REQUIRE_PEER_FILES"] === "1") {
    describe(title, () => {
      it("has its files (REQUIRE_PEER_FILES=1)", () => expect.fail(ABSENT));
    });
  } else {
    process.stderr.write(`skipped "${title}": ${ABSENT}\n`);
    describe.skip(title, define);
  }
}
