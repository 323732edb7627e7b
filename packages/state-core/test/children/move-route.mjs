// Takes one step of a route that means as much as a step can: PATH. Dies where the crash matrix says.
import { channel } from "node:diagnostics_channel";
import { openStateStore } from "@hermes/state-core";

const store = openStateStore({ path: process.argv[2] });
const scenario = channel("hermes:test:scenario");
const sessionKey = "agent:main:telegram:dm:c1";
const peer = { source: "telegram", sessionKey, userId: "u1", chatId: "c1", chatType: "dm" };
scenario.publish("begin");
store.routing.transition({
  scope: "",
  sessionKey,
  expectedSessionId: "s1",
  entry: { session_id: "s2" },
  leave: { sessionId: "s1", reason: "session_reset" },
  create: { ...peer, id: "s2", parentSessionId: "s1", title: "Trip" },
  flags: { pinned: true },
  reopen: "s0",
  peer: { sessionId: "s2", record: { ...peer, displayName: "Ann" }, includeAncestors: true },
  replacesKey: "old",
});
scenario.publish("end");
store.close();
