// A process beside the test that holds leases, takes turns and compacts, as each line on stdin says.
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { isStateError, openStateStore, withAdoption, withTurnLease } from "@hermes/state-core";

let store;

const say = (content) => ({ role: "user", content });

/** What a conversation speaks of: its own words, and those that its summaries stand for. */
function wordsOf(messages) {
  return messages.flatMap(({ content }) => (content.startsWith("[") ? JSON.parse(content) : [content]));
}

/** A summary that names everything it stands for, so that a test can count it. */
function summarise(sessionId, watermark) {
  const { messages } = store.messages.conversation(sessionId, { includeRowIds: true });
  return say(JSON.stringify(wordsOf(messages.filter((message) => message.id <= watermark))));
}

/** One compaction of the tip: a lease, a summary that takes a moment, and the publication. */
async function compact(root, publish) {
  const tip = store.lineage.tip(root);
  const lease = store.leases.acquire("compression", tip);
  if (!lease) return "held";
  try {
    const watermark = store.compaction.watermark(tip);
    const summary = summarise(tip, watermark);
    await setTimeout(3);
    publish(tip, summary, { watermark, holder: lease.holder });
    return "done";
  } catch (error) {
    if (isStateError(error, "STATE_E_COMPRESSION_CLOSED")) return "closed";
    throw error;
  } finally {
    store.leases.release(lease);
  }
}

/** Repeats a compaction until it has succeeded `count` times; how the attempts went comes back. */
async function compactMany(root, count, publish) {
  const outcomes = { done: 0, held: 0, closed: 0 };
  while (outcomes.done < count) {
    outcomes[await compact(root, publish)] += 1;
    await setTimeout(1);
  }
  return outcomes;
}

const operations = {
  open(options) {
    store = openStateStore(options);
  },
  acquire({ kind, sessionId, ...options }) {
    return store.leases.acquire(kind, sessionId, options);
  },
  /** Claims at a moment of the wall clock, to meet another process there. */
  acquireAt({ kind, sessionId, at }) {
    while (Date.now() < at);
    return store.leases.acquire(kind, sessionId);
  },
  refresh(lease) {
    return store.leases.refresh(lease);
  },
  release(lease) {
    return store.leases.release(lease);
  },
  rotateMany({ root, count }) {
    return compactMany(root, count, (tip, summary, options) => {
      store.compaction.rotate(tip, {}, { ...options, messages: [summary] });
    });
  },
  /** Rotates as nobody should, in two steps that a reader can see. */
  async rotateBadly({ root }) {
    const tip = store.lineage.tip(root);
    store.sessions.end(tip, "compression");
    await setTimeout(100);
    store.sessions.create({ id: `${tip}-next`, source: "test", parentSessionId: tip });
    await setTimeout(100);
    store.messages.append(`${tip}-next`, say("first"));
  },
  archiveMany({ root, count }) {
    return compactMany(root, count, (tip, summary, options) => {
      store.compaction.archive(tip, [summary], options);
    });
  },
  /** Appends to a conversation by the id of its root, as a client that slept; what was acknowledged comes back. */
  async appendMany({ root, count, prefix }) {
    const words = [];
    while (words.length < count) {
      const word = `${prefix} ${words.length}`;
      try {
        withAdoption(store, root, (id) => store.messages.append(id, say(word)));
        words.push(word);
      } catch (error) {
        // Rotated away between adopting and writing: nothing was stored.
        if (!isStateError(error, "STATE_E_COMPRESSION_CLOSED")) throw error;
      }
      await setTimeout(1);
    }
    return words;
  },
  /** Reads the conversation until a file appears; what must never be seen comes back. */
  async watch({ root, until }) {
    const gaps = [];
    const tips = new Set();
    let rounds = 0;
    while (rounds % 10 !== 0 || !existsSync(until)) {
      const tip = store.lineage.tip(root);
      const { endReason } = store.sessions.get(tip);
      const words = wordsOf(store.messages.conversation(tip).messages);
      // The tip may be closed by now, but then a whole child is there.
      if (endReason === "compression" && store.lineage.tip(tip) === tip) gaps.push(`${tip} leads nowhere`);
      if (words[0] !== "first") gaps.push(`${tip} does not begin at the beginning: ${words[0]}`);
      if (new Set(words).size !== words.length) gaps.push(`${tip} says a thing twice`);
      tips.add(tip);
      rounds += 1;
      await setTimeout(0);
    }
    return { rounds, tips: tips.size, gaps };
  },
  /** Takes turns of a conversation; each says two things with a pause between them. */
  async takeTurns({ sessionId, count, name }) {
    for (let index = 0; index < count; index++) {
      await withTurnLease(
        store,
        sessionId,
        async () => {
          store.messages.append(sessionId, say(`${name} ${index} begins`));
          await setTimeout(5);
          store.messages.append(sessionId, say(`${name} ${index} ends`));
        },
        { pollSeconds: 0.01 },
      );
    }
  },
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { op, args } = JSON.parse(line);
  try {
    process.stdout.write(`${JSON.stringify({ result: (await operations[op](args)) ?? null })}\n`);
  } catch (error) {
    const code = isStateError(error) ? `${error.code}: ${error.message}` : String(error.stack);
    process.stdout.write(`${JSON.stringify({ error: code })}\n`);
  }
});
process.stdout.write("ready\n");
