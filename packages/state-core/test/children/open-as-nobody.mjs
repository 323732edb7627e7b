// Opens a store as a user without rights and tells what came of it: node open-as-nobody.mjs PATH MODE
import { betterSqlite3Driver, openStateStore } from "@hermes/state-core";

const [path, mode] = process.argv.slice(2);
// The library is loaded while its files can still be read.
betterSqlite3Driver.load();
if (process.getuid() === 0) {
  process.setgroups([]);
  process.setgid(65534);
  process.setuid(65534);
}
try {
  const store = openStateStore({ path, mode });
  process.stdout.write(JSON.stringify({ sessions: store.sessions.count({}) }));
  store.close();
} catch (error) {
  process.stdout.write(JSON.stringify({ error: error.code ?? String(error), message: error.message }));
}
