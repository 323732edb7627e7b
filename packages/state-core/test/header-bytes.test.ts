import {
  buildOldStore,
  copyPeerFile,
  describePeer,
  describePython,
  fileBytes,
  runPython,
  tempDir,
} from "@hermes/testkit";
import { expect, it } from "vitest";
import { openStateStore } from "../src/index.js";

/** Header fields that belong to whoever made the file. */
function marks(path: string): Record<string, string> {
  const header = fileBytes(path, 0, 100) ?? "";
  const part = (from: number, to: number): string => header.slice(2 * from, 2 * to);
  return {
    userVersion: part(60, 64),
    applicationId: part(68, 72),
    pageSize: part(16, 18),
    vacuumAndEncoding: part(52, 60),
  };
}

/** A script that answers with the first value of each query. */
function answerTo(...queries: string[]): string {
  return `db = peer.connect(args)\nanswer([db.execute(q).fetchone()[0] for q in ${JSON.stringify(queries)}])`;
}

function wholeSession(path: string): void {
  using store = openStateStore({ path });
  store.sessions.ensure({ id: "header", source: "test" });
  for (let index = 0; index < 60; index++) store.messages.append("header", { role: "user", content: "x".repeat(3000) });
  store.sessions.end("header", "done");
  store.sessions.reopen("header");
  store.meta.set("header-test", "1");
}

describePython("header fields of a file", () => {
  it.each([
    [0, 0],
    [7, 0x12345678],
    [0, -5],
  ])("GND-01 T18 a whole session keeps user_version %i and application_id %i of an existing file", (user, app) => {
    using dir = tempDir("header");
    const extra = [`PRAGMA user_version=${String(user)}`, `PRAGMA application_id=${String(app)}`];
    const path = buildOldStore(dir.file("state.db"), 26, { extra });
    const before = marks(path);
    wholeSession(path);
    expect(marks(path)).toEqual(before);
    expect(runPython(answerTo("PRAGMA user_version", "PRAGMA application_id"), path)).toEqual([user, app]);
  });

  it("GND-01 T18 a new file carries no mark of its own either", () => {
    using dir = tempDir("header");
    const path = dir.file("state.db");
    wholeSession(path);
    expect(marks(path)).toMatchObject({ userVersion: "00000000", applicationId: "00000000", pageSize: "1000" });
  });

  it("GND-01 opens a file of a higher version as it is: no stamp, no change to what it does not know", () => {
    using dir = tempDir("header");
    const path = buildOldStore(dir.file("state.db"), 30, {
      extra: [
        "UPDATE schema_version SET version = 34",
        "CREATE TABLE future_table (id INTEGER PRIMARY KEY, note TEXT)",
        "INSERT INTO future_table (note) VALUES ('keep me')",
        "ALTER TABLE messages ADD COLUMN future_column TEXT DEFAULT 'later'",
        "ALTER TABLE sessions ADD COLUMN future_flag INTEGER NOT NULL DEFAULT 3",
        "CREATE TRIGGER future_trigger AFTER INSERT ON messages BEGIN UPDATE future_table SET note = note || '.'; END",
        "INSERT INTO state_meta (key, value) VALUES ('future:key', 'x')",
      ],
    });
    {
      using store = openStateStore({ path });
      expect(store.info().schemaVersion).toBe(34);
      store.sessions.create({ id: "s1", source: "test" });
      store.messages.append("s1", { role: "user", content: "x" });
    }
    const script = answerTo(
      "SELECT version FROM schema_version",
      "SELECT note FROM future_table",
      "SELECT value FROM state_meta WHERE key = 'future:key'",
      "SELECT future_column FROM messages WHERE session_id = 's1'",
      "SELECT future_flag FROM sessions WHERE id = 's1'",
    );
    expect(runPython(script, path)).toEqual([34, "keep me.", "x", "later", 3]);
  });
});

describePeer("header fields of real files", () => {
  it.each(["peer-v02.db", "peer-v11.db", "peer-v26.db", "peer-small.db"])("GND-01 T18 keeps those of %s", (name) => {
    using dir = tempDir("header");
    const path = copyPeerFile(name, dir);
    const before = marks(path);
    wholeSession(path);
    expect(marks(path)).toEqual(before);
  });
});
