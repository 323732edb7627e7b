import { describePeer, peerExpected } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { OLD_PEER_FILES, openPeerCopy } from "../../test/support/peer-expected.js";
import type { PeerOld, PeerSmall } from "../../test/support/peer-expected.js";

describePeer("COR-26 lineages of real files equal the peer's", () => {
  describe.each(["read", "write"] as const)("opened for %s", (mode) => {
    it("COR-26 tip, root, chain and resume target of every session of peer-small", () => {
      using peer = openPeerCopy("peer-small.db", mode);
      const { lineage } = peer.store;
      for (const [id, recorded] of Object.entries(peerExpected<PeerSmall>("peer-small.db").sessions)) {
        expect(lineage.tip(id), id).toBe(recorded.tip);
        expect(lineage.root(id), id).toBe(recorded.root);
        expect(lineage.chain(id), id).toEqual(recorded.lineage);
        expect(lineage.resumeTarget(id), id).toBe(recorded.resume_id);
      }
    });

    it.each(OLD_PEER_FILES)("COR-26 tip and resume target of every session of %s", (name) => {
      using peer = openPeerCopy(name, mode);
      const { lineage } = peer.store;
      for (const { id, compression_tip, resume_id } of peerExpected<PeerOld>(name).sessions) {
        if (compression_tip) expect(lineage.tip(id), id).toBe(compression_tip);
        // Before version 16 a session with messages of its own was resumed in place, compacted or not.
        if (resume_id && !/v(?:02|04|06|08|11|14)\.db$/.test(name)) expect(lineage.resumeTarget(id), id).toBe(resume_id);
      }
    });
  });
});
