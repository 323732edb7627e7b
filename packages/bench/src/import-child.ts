import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { openStateStore } from "@hermes/state-core";
import { exportStore, fileSink, importInto } from "@hermes/state-portability";
import { sample } from "./measure/sample.js";
import type { Sample } from "./measure/sample.js";

interface ExportedLine {
  readonly type: string;
  readonly id?: string;
  readonly session?: string;
  readonly row?: Readonly<Record<string, string | number>>;
}

const ADD_SESSION = "INSERT INTO sessions (id, source, started_at, message_count) VALUES (?, ?, ?, ?)";
const COLUMNS = ["role", "content", "tool_calls", "tool_name", "timestamp"] as const;
const ADD_MESSAGE = `INSERT INTO messages (session_id, ${COLUMNS.join(", ")}) VALUES (?, ?, ?, ?, ?, ?)`;

async function writeExport(path: string, file: string): Promise<number> {
  using store = openStateStore({ path, mode: "read" });
  const report = await exportStore(store, fileSink(store, file), { format: "jsonl" });
  return report.messages;
}

async function importFile(path: string, file: string): Promise<Sample & { readonly messages: number }> {
  using store = openStateStore({ path });
  const cpu = process.cpuUsage();
  const started = process.hrtime.bigint();
  const { messages } = await importInto(store, file);
  const wallUs = Number(process.hrtime.bigint() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuUs: user + system, wallUs, messages };
}

/** The same rows on the bare driver, a transaction for each session, indexed row by row; parsing is not counted. */
function insertRows(path: string, file: string): Sample {
  openStateStore({ path }).close();
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const records = lines.map((line) => JSON.parse(line) as ExportedLine);
  const database = new Database(path);
  database.pragma("synchronous = FULL");
  const [session, message] = [database.prepare(ADD_SESSION), database.prepare(ADD_MESSAGE)];
  const result = sample(() => {
    for (const { type, id, session: owner, row = {} } of records) {
      if (type === "session" || type === "footer") if (database.inTransaction) database.exec("COMMIT");
      if (type === "session") {
        database.exec("BEGIN IMMEDIATE");
        session.run([id, row["source"], row["started_at"], row["message_count"]]);
      }
      if (type === "message") message.run([owner, ...COLUMNS.map((name) => row[name] ?? null)]);
    }
  });
  database.close();
  return result;
}

const [how, path = "", file = ""] = process.argv.slice(2);
const steps: Readonly<Record<string, () => unknown>> = {
  export: () => writeExport(path, file),
  store: () => importFile(path, file),
  engine: () => insertRows(path, file),
};
void Promise.resolve(steps[how ?? ""]?.()).then((result) => {
  console.log(JSON.stringify(result));
});
