import { describePeer } from "@hermes/testkit";
import { expect, it } from "vitest";
import type { StateStore } from "../src/index.js";
import { wrongCounters } from "./support/dump-store.js";
import { OLD_PEER_FILES, openPeerCopy } from "./support/peer-expected.js";

/** The session of a file with the most messages. */
const LARGEST = `
  SELECT session_id AS id FROM messages WHERE COALESCE(active, 1) = 1
    AND session_id IN (SELECT id FROM sessions WHERE end_reason IS NULL AND source <> 'tool')
  GROUP BY session_id ORDER BY COUNT(*) DESC, session_id LIMIT 1`;

function contents(store: StateStore, sessionId: string): unknown[] {
  return store.messages.conversation(sessionId).messages.map((message) => message.content);
}

describePeer("compactions of real files", () => {
  it.each(["peer-small.db", ...OLD_PEER_FILES])("COR-24 COR-25 GND-01 of %s in place and by rotation", (name) => {
    using peer = openPeerCopy(name, "write");
    const { store } = peer;
    const { id } = store.read((r) => r.get<{ id: string }>(LARGEST))!;
    const before = contents(store, id);
    const rows = store.messages.count(id, "all");
    const holder = store.leases.newHolder();
    expect(store.leases.acquire("compression", id, { holder })).toBeDefined();
    const watermark = store.compaction.watermark(id);
    store.messages.append(id, { role: "user", content: "came in" });
    const archived = store.compaction.archive(id, [{ role: "user", content: "summary" }], { watermark, holder });
    expect(archived).toEqual({ activeCount: 2, archivedCount: before.length, carriedCount: 1 });
    expect(contents(store, id)).toEqual(["summary", "came in"]);
    expect(store.messages.count(id, "all")).toBe(rows + 3);

    const { sessionId } = store.compaction.rotate(
      id,
      {},
      { messages: [{ role: "user", content: "summary 2" }], watermark: store.compaction.watermark(id) - 1, holder },
    );
    expect(contents(store, sessionId)).toEqual(["summary 2", "came in"]);
    expect(store.lineage.tip(id)).toBe(sessionId);
    expect(store.lineage.adopt(id)).toBe(sessionId);
    expect(wrongCounters(store).filter((row) => row["id"] === id || row["id"] === sessionId)).toEqual([]);
    const search = "SELECT COUNT(*) AS total FROM messages_fts WHERE messages_fts MATCH 'summary'";
    expect(store.read((r) => r.get<{ total: number }>(search))?.total).toBeGreaterThanOrEqual(2);
    expect(store.read((r) => r.all("SELECT 1 FROM pragma_foreign_key_check"))).toEqual([]);
  });

  it("COR-25 a lease of the peer's keeps us out of its session", () => {
    using peer = openPeerCopy("peer-v26.db", "write");
    const { leases } = peer.store;
    const [row] = leases.list("compression");
    expect(row).toMatchObject({ holder: "other-holder" });
    // The file says until when; the test's clock stands in that time or before it.
    expect(leases.acquire("compression", row!.key)).toBeUndefined();
    expect(leases.holder("compression", row!.key)?.holder).toBe("other-holder");
  });
});
