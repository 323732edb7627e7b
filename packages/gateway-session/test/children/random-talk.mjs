// A gateway that talks at random until it is killed: PATH LABEL SEED
// What it acknowledges stands in PATH.acks, one text a line.
import { appendFileSync } from "node:fs";
import { openTranscriptWriter, sqliteStorage } from "@hermes/gateway-session";
import { openStateStore, StateError } from "@hermes/state-core";

const [path, label, seed] = process.argv.slice(2);
let state = Number(seed) >>> 0;
function random(below) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

const store = openStateStore({ path, durability: "normal" });
const storage = sqliteStorage(store);
let dead = 0;
const port = {
  ...storage,
  async append(...args) {
    if (dead > 0) throw new StateError("STATE_E_BUSY", "database is locked");
    return storage.append(...args);
  },
};
// It is never closed: what waits would be handed over to the other gateway, which stores it when it can.
const writer = openTranscriptWriter(port, { spoolFolder: `${path}.spool` });
let count = 0;
const current = new Map();

/** Goes on in a new session, whole or stopped half-way; only one of the gateways does so. */
function rotate(root) {
  const tip = store.lineage.tip(current.get(root) ?? root);
  if (random(4) === 0) {
    store.sessions.end(tip, "compression");
    return;
  }
  const number = String((count += 1)).padStart(6, "0");
  const messages = [{ role: "user", content: `${root} ${label} summary ${number}` }];
  const child = { id: `${root}.${label}.${count}`, source: "telegram" };
  try {
    store.compaction.rotate(tip, child, { messages, watermark: null, requireLease: false });
  } catch (error) {
    // It was stopped half-way before, and nobody has said anything since.
    if (error.code !== "STATE_E_COMPRESSION_CLOSED") throw error;
  }
}

async function say(root) {
  const content = `${root} ${label} ${String((count += 1)).padStart(6, "0")}`;
  const receipt = await writer.append({ sessionId: current.get(root) ?? root }, { role: "user", content });
  if (receipt.durable) appendFileSync(`${path}.acks`, `${content}\n`);
  if (receipt.state === "stored" && random(2) === 0) current.set(root, receipt.sessionId);
}

process.stdout.write("talking\n");
for (;;) {
  dead = random(12) === 0 ? 1 + random(8) : Math.max(0, dead - 1);
  const root = `s${random(3)}`;
  switch (random(20)) {
    case 0:
      if (label.endsWith("a")) rotate(root);
      break;
    case 1:
      await writer.replay();
      break;
    case 2:
      await Promise.all([say(root), say("s0"), say(root)]);
      break;
    default:
      await say(root);
  }
}
