// A process beside the test: it does what each line on stdin says with the built package, and answers it with a line.
import { createInterface } from "node:readline";
import { isStateError, openStateStore } from "@hermes/state-core";

let store;

const operations = {
  /** Opens a store and keeps it; what its file looks like comes back. */
  open(options) {
    store = openStateStore(options);
    const { schemaVersion, ftsLayout, journalMode } = store.info();
    return { schemaVersion, ftsLayout, journalMode };
  },
  close() {
    store?.close();
    store = undefined;
  },
  create(fields) {
    store.sessions.create(fields);
  },
  append({ sessionId, content }) {
    return store.messages.append(sessionId, { role: "user", content }).id;
  },
  /** Appends `count` messages, one transaction each; their ids come back. */
  appendMany({ sessionId, count, prefix }) {
    const ids = [];
    for (let index = 0; index < count; index++) {
      ids.push(store.messages.append(sessionId, { role: "user", content: `${prefix} ${index}` }).id);
    }
    return ids;
  },
  /** Appends one message for each platform id; what it was told about each comes back. */
  appendPlatform({ sessionId, ids }) {
    return ids.map((platformMessageId) => {
      const { id, existing } = store.messages.append(sessionId, { role: "user", content: "hi", platformMessageId });
      return { id, existing };
    });
  },
  /** Makes calls `[part, method, ...args]` one after another; results and codes of errors come back. */
  calls(list) {
    return list.map(([part, method, ...args]) => {
      try {
        return { result: store[part][method](...args) ?? null };
      } catch (error) {
        if (!isStateError(error)) throw error;
        return { error: error.code };
      }
    });
  },
  /** Lists sessions and reads transcripts and words until `seconds` have passed. */
  readFor({ seconds, word }) {
    const end = performance.now() + seconds * 1000;
    let rounds = 0;
    let rows = 0;
    while (performance.now() < end) {
      for (const { id } of store.sessions.list({ limit: 50 }).sessions) {
        rows = Math.max(rows, store.messages.count(id));
      }
      store.read((r) => r.all("SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? LIMIT 20", [word]));
      rounds += 1;
    }
    return { rounds, rows };
  },
  autoMaintain(policy) {
    return store.retention.autoMaintain(policy ?? {});
  },
  exit() {
    process.exit(0);
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { op, args } = JSON.parse(line);
  try {
    process.stdout.write(`${JSON.stringify({ result: operations[op](args) ?? null })}\n`);
  } catch (error) {
    const code = isStateError(error) ? error.code : `${error.name}: ${error.message}\n${error.stack}`;
    process.stdout.write(`${JSON.stringify({ error: code })}\n`);
  }
});
process.stdout.write("ready\n");
