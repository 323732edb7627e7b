// Leaves a hot journal, or a log with committed rows, beside a store, and waits to be killed.
import { setInterval } from "node:timers";
import Database from "better-sqlite3";

const [path, what] = process.argv.slice(2);
const database = new Database(path);
const session = database.prepare("SELECT id FROM sessions LIMIT 1").pluck().get();
const append = database.prepare("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, 1)");
if (what === "journal") {
  // So small a cache writes pages of the open transaction to the file.
  database.pragma("cache_size=2");
  database.exec("BEGIN IMMEDIATE");
  database.exec("UPDATE messages SET content = content || ' uncommitted'");
} else {
  database.pragma("wal_autocheckpoint=0");
  for (let index = 0; index < 40; index++) append.run(session, `only in the log ${index}`);
}
console.log("ready");
setInterval(() => undefined, 1000);
