// A gateway that does what each line on stdin says, all of it at once, and answers with a line each: PATH
//   {"n": 1, "op": "say", "source": {...}, "text": "..."}  ->  {"n": 1, "sessionKey": ..., "durable": true}
import { createInterface } from "node:readline";
import { createSessionRouter, openTranscriptWriter, spoolFolderOf, sqliteStorage } from "@hermes/gateway-session";
import { openStateStore } from "@hermes/state-core";

const [path] = process.argv.slice(2);
// A kill of the process does not lose what was written: only a loss of power would.
const store = openStateStore({ path, durability: "normal" });
const port = sqliteStorage(store);
const router = await createSessionRouter(port, {
  scope: "simulation",
  zone: "UTC",
  onMoved: (_, from, to) => writer.moved(from, to),
});
const writer = openTranscriptWriter(port, {
  spoolFolder: spoolFolderOf(path),
  routes: {
    sessionOf: (key) => router.get(key)?.sessionId,
    materialize: (key, sessionId) => router.materialize(key, sessionId),
    onReroute: (key, from, to) => router.advance(key, from, to),
  },
});
await writer.replay();
await router.recover({ clean: false });

const keyOf = async (source) => (await router.resolve(source, { touchActivity: false })).sessionKey;

const operations = {
  async say({ source, text }) {
    const { sessionKey, how } = await router.resolve(source);
    const receipt = await writer.append({ sessionKey }, { role: "user", content: text }, { source });
    return { sessionKey, sessionId: receipt.sessionId, durable: receipt.durable, existing: receipt.existing, how };
  },
  async reset({ source }) {
    const entry = await router.reset(await keyOf(source));
    return { sessionId: entry.sessionId };
  },
  /** Goes on in a new session; the route learns of it by itself. */
  async compact({ source }) {
    const sessionKey = await keyOf(source);
    const { sessionId, messages } = await writer.load({ sessionKey });
    if (messages.length === 0) return {};
    const watermark = store.compaction.watermark(sessionId);
    const summary = { role: "user", content: `[summary of ${String(messages.length)}]` };
    return store.compaction.rotate(sessionId, {}, { messages: [summary], watermark, requireLease: false });
  },
  /** An agent goes away and ends its session behind the router's back. */
  async accident({ source }) {
    const { sessionId } = router.get(await keyOf(source));
    return { ended: store.sessions.end(sessionId, "agent_close") };
  },
};

const tell = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);

async function answer({ n, op, ...what }) {
  try {
    tell({ n, ...(await operations[op](what)) });
  } catch (error) {
    tell({ n, error: error.code ?? String(error.stack) });
  }
}

const working = new Set();
tell({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "stop") break;
  const work = answer(JSON.parse(line));
  working.add(work);
  void work.then(() => working.delete(work));
}
await Promise.all(working);
await writer.close();
await router.close();
store.close();
process.exit(0);
