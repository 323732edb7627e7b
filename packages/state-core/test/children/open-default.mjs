// Opens the default store, or the one at PATH, and creates three sessions: node open-default.mjs [PATH]
import { openStateStore } from "@hermes/state-core";

// Set after the import: the default path is computed when the call runs.
if (process.env.HERMES_HOME_LATER !== undefined) process.env.HERMES_HOME = process.env.HERMES_HOME_LATER;
const path = process.argv[2];
try {
  const store = openStateStore(path === undefined ? {} : { path });
  for (const id of ["a", "b", "c"]) store.sessions.ensure({ id, source: "test" });
  process.stdout.write(JSON.stringify({ path: store.path, sessions: store.sessions.count({}) }));
  store.close();
} catch (error) {
  process.stdout.write(JSON.stringify({ error: error.code ?? String(error) }));
}
