// A gateway that talks, fails, spools, follows rotations and starts again: PATH [PLANTED]
// Messages it acknowledges stand in PATH.acks; the steps of its writer count as statements for the crash matrix.
import { channel, subscribe } from "node:diagnostics_channel";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openTranscriptWriter, sqliteStorage } from "@hermes/gateway-session";
import { openStateStore, StateError } from "@hermes/state-core";

const [path, planted] = process.argv.slice(2);
const spoolFolder = `${path}.spool`;
const statements = channel("hermes:state:statement");
subscribe("hermes:gateway:transcript", ({ step }) => statements.publish({ sql: `STEP ${step}` }));

const store = openStateStore({ path });
const storage = sqliteStorage(store);
let dead = false;

/** The mistake that the matrix must notice: a file goes before its message is stored. */
function deleteFirst({ messageUid }) {
  for (const name of existsSync(spoolFolder) ? readdirSync(spoolFolder) : []) {
    const file = join(spoolFolder, name);
    if (name.endsWith(".json") && readFileSync(file, "utf8").includes(messageUid)) rmSync(file);
  }
}

const port = {
  ...storage,
  async append(sessionId, message, options) {
    if (dead) throw new StateError("STATE_E_BUSY", "database is locked");
    if (planted === "delete-first") deleteFirst(message);
    return storage.append(sessionId, message, options);
  },
};

const open = () =>
  openTranscriptWriter(port, {
    spoolFolder,
    routes: {
      onReroute: async (key, from, to) => store.routing.save("scope", key, { session_id: to, from }),
    },
  });

async function say(writer, sessionId, ...texts) {
  for (const content of texts) {
    const target = { sessionId, sessionKey: `key:${sessionId}` };
    // The sender of the second waits for its message to be on disk.
    const receipt = await writer.append(target, { role: "user", content }, { durable: content === "s02" });
    if (receipt.durable) writeFileSync(`${path}.acks`, `${sessionId} ${content}\n`, { flag: "a" });
  }
}

channel("hermes:test:scenario").publish("begin");
let writer = open();
await writer.replay();
await say(writer, "s", "s01");
dead = true;
await say(writer, "s", "s02", "s03", "s04", "s05");
dead = false;
await say(writer, "s", "s06");
dead = true;
await say(writer, "old", "o01", "o02", "o03");
dead = false;
store.sessions.end("old", "compression");
store.sessions.create({ id: "mid", source: "telegram", parentSessionId: "old" });
store.sessions.end("mid", "compression");
store.sessions.create({ id: "tip", source: "telegram", parentSessionId: "mid" });
await say(writer, "old", "o04");
dead = true;
await say(writer, "s", "s07", "s08");
await writer.close();
writeFileSync(`${path}.acks`, "s s07\ns s08\n", { flag: "a" });
dead = false;
writer = open();
await say(writer, "s", "s09");
await writer.replay();
await writer.close();
channel("hermes:test:scenario").publish("end");
store.close();
