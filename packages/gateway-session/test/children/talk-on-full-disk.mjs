// Talks while no file of the process can grow, then when they can again: PATH
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { openTranscriptWriter, sqliteStorage } from "@hermes/gateway-session";
import { openStateStore } from "@hermes/state-core";

const path = process.argv[2];
const LIMIT = "import resource, sys; resource.prlimit(int(sys.argv[1]), resource.RLIMIT_FSIZE, (int(sys.argv[2]), -1))";

/** From now on no file of this process may grow beyond so many bytes; -1 lifts it. */
function limit(bytes) {
  const run = spawnSync("python3", ["-c", LIMIT, String(process.pid), String(bytes)], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(run.stderr);
}

const store = openStateStore({ path });
const spoolFolder = `${path}.spool`;
const writer = openTranscriptWriter(sqliteStorage(store), { spoolFolder });
const receipts = [];
async function say(content) {
  try {
    const { state, problem } = await writer.append({ sessionId: "s" }, { role: "user", content });
    receipts.push([state, problem?.code ?? null]);
  } catch (error) {
    receipts.push(["refused", error.code]);
  }
}
limit(4096);
for (let n = 1; n <= 4; n++) await say(`${n} ${"x".repeat(10_000)}`);
const files = readdirSync(spoolFolder).filter((name) => !name.endsWith(".lock"));
const backlog = writer.backlog();
limit(-1);
await say("5");
const texts = [...store.messages.iterate("s")].map(({ content }) => content[0]);
await writer.close();
process.stdout.write(JSON.stringify({ receipts, backlog, files, texts, left: readdirSync(spoolFolder) }));
store.close();
