// A process beside the test that moves a route which others move too, as each line on stdin says.
import { createInterface } from "node:readline";
import { openStateStore } from "@hermes/state-core";

const sessionKey = "agent:main:telegram:dm:c1";
const peer = { source: "telegram", sessionKey, chatId: "c1", chatType: "dm" };
let store;

const operations = {
  open(options) {
    store = openStateStore(options);
  },
  /** Begins the peer anew `count` times, each time from what it has read; others may have been faster. */
  resetMany({ name, count }) {
    let refused = 0;
    for (let done = 0; done < count; ) {
      const from = store.routing.find("", sessionKey).entry.session_id;
      const id = `${name}-${String(done)}`;
      const { applied } = store.routing.transition({
        scope: "",
        sessionKey,
        expectedSessionId: from,
        entry: { session_id: id },
        leave: { sessionId: from, reason: "session_reset" },
        create: { ...peer, id, parentSessionId: from },
      });
      if (applied) done += 1;
      else refused += 1;
    }
    return refused;
  },
};

process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { op, args } = JSON.parse(line);
  try {
    process.stdout.write(`${JSON.stringify({ result: operations[op](args) ?? null })}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: error.code ?? String(error) })}\n`);
  }
}
store?.close();
