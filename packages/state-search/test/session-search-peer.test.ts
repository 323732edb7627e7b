import { openStateStore } from "@hermes/state-core";
import { copyPeerFile, describePeer, tempDir } from "@hermes/testkit";
import { expect, it } from "vitest";
import {
  findSessionsById,
  firstAssistantText,
  listCronRuns,
  listSkillSessions,
  listWorkingDirectories,
  sessionSearch,
} from "../src/index.js";

const FILES = ["peer-v02.db", "peer-v08.db", "peer-v16.db", "peer-v23.db", "peer-small.db"];

describePeer("session search over files of a real peer", () => {
  it.each(FILES)("SEA-15 SEA-16 answers from %s, opened to read", (name) => {
    using dir = tempDir("session-search-peer");
    using store = openStateStore({ path: copyPeerFile(name, dir), mode: "read" });
    const { id, sessionId } = store.read((r) =>
      r.get<{ id: number; sessionId: string }>("SELECT MIN(id) AS id, session_id AS sessionId FROM messages"))!;
    const modes = [{ query: "the" }, {}, { session_id: sessionId }, { session_id: sessionId, around_message_id: id }];
    const replies = modes.map((args) => sessionSearch(store, args));
    for (const reply of replies) expect(reply, JSON.stringify(reply["error"])).toMatchObject({ success: true });
    expect(JSON.stringify(replies[3])).toContain('"anchor":true');
    expect(findSessionsById(store, sessionId)[0]).toMatchObject({ rank: "exact", matchedId: sessionId });
    for (const list of [listSkillSessions, listWorkingDirectories]) expect(() => list(store)).not.toThrow();
    expect(listCronRuns(store, "nobody")).toEqual([]);
    expect(firstAssistantText(store, "nobody")).toBe("");
  });
});
