import { createWriteStream, statSync } from "node:fs";
import { once } from "node:events";
import { openStateStore } from "@hermes/state-core";
import { exportStore, fileSink, importInto, writableSink } from "@hermes/state-portability";
import { detachFts } from "@hermes/state-schema";

const SESSIONS = 20;
const BLOCK = "a line of a log 数据 ";
const REPEATS = 8_000;
const NUMBERS = "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)";

const LAY_SESSIONS = `${NUMBERS}
  INSERT INTO sessions (id, source, started_at) SELECT printf('s%02d', i), 'cli', 1700000000 + i FROM n`;

/** Outputs of tools, some 190 kB each. */
const LAY_MESSAGES = `${NUMBERS}
  INSERT INTO messages (session_id, role, tool_name, content, timestamp)
  SELECT ?, 'tool', 'terminal', i || ' ' || replace(printf('%.*c', ${REPEATS}, 'x'), 'x', '${BLOCK}'), 1700000000 + i
  FROM n`;

/** Lays out a store of about `megabytes` of text, not indexed. */
function fill(path: string, megabytes: number): void {
  using store = openStateStore({ path, durability: "normal" });
  const each = Math.ceil((megabytes * 1e6) / (Buffer.byteLength(BLOCK) * REPEATS) / SESSIONS);
  store.write("lay out sessions", (w) => {
    detachFts(w);
    w.run(LAY_SESSIONS, [SESSIONS]);
  });
  for (let index = 0; index < SESSIONS; index++) {
    const id = `s${String(index).padStart(2, "0")}`;
    store.write("lay out messages", (w) => w.run(LAY_MESSAGES, [each, id]));
  }
}

/** @param file - Where the export stays; without it, nowhere. */
async function exportAll(path: string, file: string | undefined): Promise<number> {
  using store = openStateStore({ path, mode: "read" });
  if (file !== undefined) return (await exportStore(store, fileSink(store, file), { format: "jsonl" })).bytes;
  const nowhere = createWriteStream("/dev/null");
  const { bytes } = await exportStore(store, writableSink(nowhere), { format: "jsonl" });
  nowhere.end();
  await once(nowhere, "close");
  return bytes;
}

async function importAll(path: string, file: string): Promise<number> {
  using store = openStateStore({ path, durability: "normal" });
  await importInto(store, file);
  return statSync(file).size;
}

async function main([step, path = "", rest]: readonly string[]): Promise<void> {
  if (step === "fill") {
    fill(path, Number(rest));
    return;
  }
  const bytes = step === "import" ? await importAll(path, rest ?? "") : await exportAll(path, rest);
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  console.log(JSON.stringify({ bytes, peakBytes: maxRSS * 1024, cpuUs: userCPUTime + systemCPUTime }));
}

void main(process.argv.slice(2));
