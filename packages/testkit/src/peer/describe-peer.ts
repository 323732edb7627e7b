import { describe, expect, it } from "vitest";
import { testEnvironment } from "../config/environment.js";
import { PEER_ABSENT, peerFolder } from "./peer-file.js";

/**
 * A `describe` for tests over the files of real peers: skipped with a plain message where the folder is absent, failed
 * when `REQUIRE_PEER_FILES=1` says that it must be there.
 */
export function describePeer(title: string, define: () => void): void {
  describeWith(peerFolder() !== undefined, PEER_ABSENT, title, define);
}

/**
 * A `describe` that depends on something a machine may lack.
 *
 * @param present - Whether it is there.
 * @param absence - What to say when it is not.
 */
export function describeWith(present: boolean, absence: string, title: string, define: () => void): void {
  if (present) {
    describe(title, define);
  } else if (testEnvironment().requirePeer) {
    describe(title, () => {
      it("has what it needs (REQUIRE_PEER_FILES=1)", () => {
        expect.fail(absence);
      });
    });
  } else {
    process.stderr.write(`skipped "${title}": ${absence}\n`);
    // A suite may read what is absent while it is defined, so it is not defined.
    describe.skip(title, () => {
      it(absence, () => undefined);
    });
  }
}
