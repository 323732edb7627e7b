// One of several writers: it does everything at random for some seconds, and answers with what was acknowledged to it.
import { isStateError, openStateStore } from "@hermes/state-core";

const [path, name, seconds, seed] = [
  process.argv[2],
  process.argv[3],
  Number(process.argv[4]),
  Number(process.argv[5]),
];
const SHARED = "shared";

/** A small repeatable generator; the seed is printed by the test. */
let state = seed >>> 0;
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
}
const pick = (list) => list[Math.floor(random() * list.length)];

const store = openStateStore({ path });
const acknowledged = new Map();
const deleted = [];
const counts = {};
let serial = 0;
let disposable = 0;
const message = () => ({
  role: pick(["user", "assistant"]),
  content: `${name}-${String((serial += 1))} 数据库 orchid`,
});

/** The live end of a conversation: others may have rotated it since. */
const tip = (id) => store.lineage.tip(id);

function append(id, size) {
  const messages = Array.from({ length: size }, message);
  const target = tip(id);
  if (size === 1) store.messages.append(target, messages[0]);
  else store.messages.appendBatch(target, messages);
  for (const { content } of messages) acknowledged.set(content, id);
}

function compact(id, rotate) {
  const target = tip(id);
  const lease = store.leases.acquire("compression", target);
  if (!lease) return;
  try {
    const watermark = store.compaction.watermark(target);
    const summary = [{ ...message(), compressedSummary: true }];
    const { holder } = lease;
    if (rotate) store.compaction.rotate(target, {}, { messages: summary, watermark, holder });
    else store.compaction.archive(target, summary, { watermark, holder });
  } finally {
    store.leases.release(lease);
  }
}

function removeOne() {
  const id = `${name}-disposable-${String((disposable += 1))}`;
  store.sessions.create({ id, source: "test" });
  append(id, 3);
  for (const [content, owner] of acknowledged) if (owner === id) acknowledged.delete(content);
  store.retention.delete([id]);
  deleted.push(id);
}

const own = `${name}-own`;
store.sessions.ensure({ id: own, source: "test" });
const operations = [
  ["append", 12, () => append(SHARED, 1)],
  ["appendOwn", 6, () => append(own, 1)],
  ["batch", 3, () => append(pick([SHARED, own]), 20)],
  ["archive", 2, () => compact(pick([SHARED, own]), false)],
  ["rotate", 1, () => compact(pick([SHARED, own]), true)],
  ["title", 2, () => store.titles.set(tip(own), `${name} ${String(serial)}`)],
  ["delete", 1, () => removeOne()],
  ["list", 3, () => store.sessions.list({ limit: 20, order: pick(["started", "active"]) })],
  ["load", 2, () => store.messages.conversation(tip(SHARED))],
];
const bag = operations.flatMap(([label, weight, run]) => Array.from({ length: weight }, () => [label, run]));

/** What another writer may rightly make of a call: the conversation went on elsewhere, or its lease is taken. */
const EXPECTED = new Set(["STATE_E_COMPRESSION_CLOSED", "STATE_E_COMPRESSION_BUSY", "STATE_E_SESSION_ENDED"]);

const end = performance.now() + seconds * 1000;
const unexpected = [];
while (performance.now() < end) {
  const [label, run] = pick(bag);
  try {
    run();
    counts[label] = (counts[label] ?? 0) + 1;
  } catch (error) {
    if (!isStateError(error) || !EXPECTED.has(error.code))
      unexpected.push(`${label}: ${String(error?.stack ?? error)}`);
    if (unexpected.length > 3) break;
  }
}
store.close();
console.log(JSON.stringify({ acknowledged: [...acknowledged.keys()], deleted, counts, unexpected }));
