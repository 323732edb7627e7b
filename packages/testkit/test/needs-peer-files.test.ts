import { expect, it } from "vitest";
import { describePeer, peerFile } from "../src/index.js";

/** A suite like any other over peer files; describe-peer.test.ts also runs it where there are none. */
describePeer("a suite over peer files", () => {
  const file = peerFile("peer-v11.db");

  it("reads a file", () => {
    expect(file).not.toBe("");
  });
});
