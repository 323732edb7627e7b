import { describePeer, peerExpected } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { recordedRow, toPeerMessage, toPeerRow } from "../../test/support/peer-dict.js";
import { OLD_PEER_FILES, openPeerCopy } from "../../test/support/peer-expected.js";
import type { PeerDict, PeerOld, PeerSmall } from "../../test/support/peer-expected.js";
import { pythonStrip } from "../codec/python-strip.js";
import type { ConversationOptions } from "./transcript.js";
import type { Messages } from "./messages.js";

function read(messages: Messages, id: string, options: ConversationOptions): PeerDict[] {
  return messages.conversation(id, options).messages.map(toPeerMessage);
}

describePeer("COR-22 conversations of peer-small equal the peer's", () => {
  describe.each(["read", "write"] as const)("opened for %s", (mode) => {
    it("COR-22 for every session: active, with inactive, with ancestors, repaired", () => {
      using peer = openPeerCopy("peer-small.db", mode);
      const { messages } = peer.store;
      const recorded = Object.entries(peerExpected<PeerSmall>("peer-small.db").sessions);
      expect(recorded).toHaveLength(35);
      for (const [id, session] of recorded) {
        expect(read(messages, id, {}), id).toEqual(session.conversation);
        expect(read(messages, id, { includeInactive: true }), id).toEqual(session.conversation_inactive);
        if (session.conversation_ancestors) {
          expect(read(messages, id, { includeAncestors: true }), id).toEqual(session.conversation_ancestors);
        }
        if (session.repaired) expect(read(messages, id, { repairAlternation: true }), id).toEqual(session.repaired);
      }
    });

    it("COR-22 repaired histories are as long as those the peer resumes with", () => {
      using peer = openPeerCopy("peer-small.db", mode);
      const { messages } = peer.store;
      for (const [id, session] of Object.entries(peerExpected<PeerSmall>("peer-small.db").sessions)) {
        expect(read(messages, id, { repairAlternation: true }), id).toHaveLength(session.resume_model_len);
      }
    });

    it("COR-22 row ids and every field of every row agree", () => {
      using peer = openPeerCopy("peer-small.db", mode);
      const { messages } = peer.store;
      const expected = peerExpected<PeerSmall>("peer-small.db");
      for (const [id, session] of Object.entries(expected.sessions)) {
        expect(messages.page(id, { limit: 10_000 }).messages.map((row) => row.id)).toEqual(session.message_ids);
        const all = messages.page(id, { limit: 10_000, include: "all" }).messages;
        expect(all.map((row) => row.id)).toEqual(session.message_ids_inactive);
        expect(all.flatMap((row) => row.damaged)).toEqual([]);
      }
      const shapes = messages.page("shapes", { include: "all" }).messages;
      expect(shapes).toHaveLength(expected.get_messages_shapes.length);
      shapes.forEach((row, index) => {
        const recorded = expected.get_messages_shapes[index]!;
        expect(toPeerRow(row, recorded)).toEqual(recordedRow(recorded));
      });
    });
  });
});

/**
 * What this reader deliberately does otherwise than the reader of an old version:
 *
 * | versions | difference | rule |
 * |---|---|---|
 * | v02..v08 | they returned text untrimmed; it is trimmed here as by every later version | as the newest peer |
 * | v16 | it ordered by timestamp; order is insertion order here | COR-22 |
 * | v02..v14 | fields they had not learnt to return (timestamp, finish reason) are returned | as the newest peer |
 */
function sameAsOld(ours: readonly PeerDict[], theirs: readonly PeerDict[]): void {
  expect(ours).toHaveLength(theirs.length);
  ours.forEach((message, index) => {
    const recorded = { ...theirs[index]! };
    if (typeof recorded["content"] === "string" && recorded["role"] !== "tool") {
      recorded["content"] = pythonStrip(recorded["content"]);
    }
    expect(message).toMatchObject(recorded);
  });
}

/** Messages in the order of their rows, as no version but v16 needs it. */
function inRowOrder(conversation: readonly PeerDict[], rows: readonly PeerDict[]): readonly PeerDict[] {
  const placed = rows.map((row) => conversation.filter((message) => message["timestamp"] === row["timestamp"]));
  expect(placed.every((found) => found.length === 1)).toBe(true);
  return placed.flat();
}

describePeer("COR-22 conversations of older files, as they are and upgraded, equal their own version's", () => {
  it.each(OLD_PEER_FILES)("COR-22 P13 %s: every row, every conversation, order by id", (name) => {
    const expected = peerExpected<PeerOld>(name);
    expect(expected.sessions.length).toBeGreaterThanOrEqual(17);
    for (const mode of ["read", "write"] as const) {
      using peer = openPeerCopy(name, mode);
      const { messages } = peer.store;
      for (const { id, messages_full, messages_including_inactive, conversation } of expected.sessions) {
        const active = messages.page(id, { limit: 10_000 }).messages;
        expect(active).toHaveLength(messages_full.length);
        active.forEach((row, index) => {
          const recorded = messages_full[index]!;
          expect(toPeerRow(row, recorded), `${id} ${mode}`).toEqual(recordedRow(recorded));
        });
        if (messages_including_inactive) {
          const all = messages.page(id, { limit: 10_000, include: "all" }).messages;
          expect(all.map((row) => row.id)).toEqual(messages_including_inactive.map((row) => row["id"]));
        }
        const theirs = name === "peer-v16.db" ? inRowOrder(conversation, messages_full) : conversation;
        sameAsOld(read(messages, id, {}), theirs);
      }
    }
  });
});
