import { existsSync } from "node:fs";
import { join } from "node:path";
import { openStateStore } from "@hermes/state-core";
import { tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import {
  loadSessionStore,
  resolveSessionFilePath,
  resolveSessionStoreEntry,
  updateSessionStore,
} from "../src/session-store/index.js";

const KEY = "agent:main:matrix:group:!AbC";

function plant(home: string): void {
  using store = openStateStore({ path: join(home, "state.db") });
  store.routing.save(join(home, "sessions"), KEY, { session_id: "s1", display_name: "Room", input_tokens: 1 });
  store.routing.save(join(home, "sessions"), "agent:main:matrix:group:!abc", { session_id: "s2" });
  store.routing.save("/elsewhere", KEY, { session_id: "s9" });
}

describe("the whole-store helpers", () => {
  it("P29 CPT-10 read the live entry, and update one field of one row", async () => {
    using dir = tempDir();
    plant(dir.path);
    const file = join(dir.path, "sessions", "sessions.json");
    expect(loadSessionStore(file)[KEY]).toEqual({ session_id: "s1", display_name: "Room", input_tokens: 1 });
    const told = await updateSessionStore(file, (snapshot) => {
      snapshot[KEY]!["display_name"] = "The room";
      return "done";
    });
    expect(told).toBe("done");
    expect(loadSessionStore(join(dir.path, "sessions"))[KEY]?.["display_name"]).toBe("The room");
    expect(Object.keys(loadSessionStore(join(dir.path, "state.db")))).toHaveLength(2);
  });

  it("P29 CPT-10 never overwrite from a stale snapshot what others changed", async () => {
    using dir = tempDir();
    plant(dir.path);
    const scope = join(dir.path, "sessions");
    await updateSessionStore(scope, async (snapshot) => {
      snapshot[KEY]!["display_name"] = "Mine";
      delete snapshot["agent:main:matrix:group:!abc"];
      using other = openStateStore({ path: join(dir.path, "state.db") });
      other.routing.save(scope, KEY, { session_id: "s3", display_name: "Room", input_tokens: 50 });
      other.routing.save(scope, "agent:main:matrix:group:!abc", { session_id: "s4" });
      other.routing.save(scope, "new", { session_id: "s5" });
      await Promise.resolve();
    });
    expect(loadSessionStore(scope)).toEqual({
      [KEY]: { session_id: "s3", display_name: "Mine", input_tokens: 50 },
      "agent:main:matrix:group:!abc": { session_id: "s4" },
      new: { session_id: "s5" },
    });
  });

  it("P29 change nothing when the mutator throws, and nothing in the snapshot of another", async () => {
    using dir = tempDir();
    plant(dir.path);
    const snapshot = loadSessionStore(dir.path + "/sessions");
    snapshot[KEY]!["display_name"] = "only here";
    const failed = updateSessionStore(join(dir.path, "sessions"), (draft) => {
      draft[KEY]!["session_id"] = "lost";
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    expect(loadSessionStore(join(dir.path, "sessions"))[KEY]).toMatchObject({ session_id: "s1", display_name: "Room" });
  });

  it("P29 P19 find an entry by its key, whatever the case of the fixed part, and never another room's", () => {
    using dir = tempDir();
    plant(dir.path);
    const storePath = join(dir.path, "sessions");
    const found = resolveSessionStoreEntry({ storePath, sessionKey: "AGENT:main:MATRIX:group:!AbC" });
    expect(found).toMatchObject({ normalizedKey: KEY, entry: { session_id: "s1" }, legacyKeys: [] });
    expect(resolveSessionStoreEntry({ storePath, sessionKey: "agent:main:matrix:group:!ABC" }).entry).toBeUndefined();
  });

  it("P29 name the file of a transcript without making it, and refuse an id that leads elsewhere", () => {
    using dir = tempDir();
    const storePath = join(dir.path, "sessions", "sessions.json");
    expect(resolveSessionFilePath("s1", null, { storePath })).toBe(join(dir.path, "sessions", "s1.jsonl"));
    expect(resolveSessionFilePath("s1", { sessionFile: "/x/y.jsonl" }, { storePath })).toBe("/x/y.jsonl");
    expect(() => resolveSessionFilePath("../../etc/passwd", null, { storePath })).toThrow(
      expect.objectContaining({ code: "STATE_E_BAD_SESSION_ID" }) as Error,
    );
    expect(loadSessionStore(storePath)).toEqual({});
    expect(existsSync(join(dir.path, "state.db"))).toBe(false);
  });
});
