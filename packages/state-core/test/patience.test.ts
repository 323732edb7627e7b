import { buildOldStore, describePython, openPeerDatabase, startPythonPeer, tempDir, testClock } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { isStateError, openStateStore } from "../src/index.js";
import type { Driver } from "../src/index.js";
import { wrappedDriver } from "./wrapped-driver.js";

describePython("patience", () => {
  it("GND-05 appends while Python holds the write lock for 3 s", async () => {
    using dir = tempDir("patience");
    const path = dir.file("state.db");
    using store = openStateStore({ path });
    store.sessions.create({ id: "s1", source: "test" });
    await using peer = await startPythonPeer();
    const holder = (await openPeerDatabase(peer, path)).holdWriteLock(3000);
    await holder.started;
    const started = performance.now();
    const { id } = store.messages.append("s1", { role: "user", content: "patient" });
    expect(performance.now() - started).toBeGreaterThan(1500);
    await holder.done;
    expect(store.messages.get(id).content).toBe("patient");
  });

  it("GND-05 opens, upgrade included, while Python holds the write lock for 3 s", async () => {
    using dir = tempDir("patience");
    const path = buildOldStore(dir.file("state.db"), 11);
    await using peer = await startPythonPeer();
    const holder = (await openPeerDatabase(peer, path)).holdWriteLock(3000);
    await holder.started;
    using store = openStateStore({ path });
    await holder.done;
    expect(store.messages.count("old-1")).toBe(5);
  });

  it("GND-05 gives up when the patience of the write's class is used up, and has stored nothing", async () => {
    using dir = tempDir("patience");
    const path = dir.file("state.db");
    using store = openStateStore({ path, patience: { routine: 300, transcript: 600, activity: 50 } });
    store.sessions.create({ id: "s1", source: "test" });
    await using peer = await startPythonPeer();
    const holder = (await openPeerDatabase(peer, path)).holdWriteLock(4000);
    await holder.started;
    for (const [patience, ms] of [
      ["activity", 50],
      ["routine", 300],
      ["transcript", 600],
    ] as const) {
      const started = performance.now();
      let calls = 0;
      let thrown: unknown;
      try {
        store.write("test patience", () => (calls += 1), patience);
      } catch (error) {
        thrown = error;
      }
      const waited = performance.now() - started;
      expect(isStateError(thrown, "STATE_E_BUSY"), String(thrown)).toBe(true);
      expect(waited, patience).toBeGreaterThanOrEqual(ms * 0.9);
      expect(waited, patience).toBeLessThan(ms + 1200);
      expect(calls, patience).toBe(0);
    }
    // A reader does not wait for a writer.
    expect(store.messages.count("s1")).toBe(0);
    peer.kill();
    await holder.done.catch(() => undefined);
  });
});

/** The real driver, but BEGIN IMMEDIATE answers as told. */
function beginning(answer: () => Error | undefined): Driver {
  return wrappedDriver("beginning", {
    running: (sql) => {
      const error = sql === "BEGIN IMMEDIATE" ? answer() : undefined;
      if (error !== undefined) throw error;
    },
  });
}

describe("how busy is told", () => {
  it("GND-05 goes by the result code: busy in any language is waited out, with growing jittered sleeps", () => {
    using dir = tempDir("busy");
    const clock = testClock();
    let armed = 0;
    const driver = beginning(() =>
      armed-- > 0 ? Object.assign(new Error("base de données verrouillée"), { code: "SQLITE_BUSY" }) : undefined,
    );
    using store = openStateStore({ path: dir.file("state.db"), clock, driver });
    store.sessions.create({ id: "s1", source: "test" });
    const before = clock.sleeps.length;
    armed = 40;
    store.messages.append("s1", { role: "user", content: "x" });
    const sleeps = clock.sleeps.slice(before);
    expect(sleeps).toHaveLength(40);
    let waited = 0;
    for (const ms of sleeps) {
      const [least, most] = waited < 2000 ? [20, 150] : [250, 1000];
      expect(ms).toBeGreaterThanOrEqual(least);
      expect(ms).toBeLessThanOrEqual(most);
      waited += ms;
    }
    expect(new Set(sleeps).size).toBeGreaterThan(20);
  });

  it("GND-05 never sleeps past the deadline of 60 s, and then says busy", () => {
    using dir = tempDir("busy");
    const clock = testClock();
    let armed = false;
    const busy = Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
    const driver = beginning(() => (armed ? busy : undefined));
    using store = openStateStore({ path: dir.file("state.db"), clock, driver });
    store.sessions.create({ id: "s1", source: "test" });
    armed = true;
    const started = clock.monotonicMs();
    expect(() => store.messages.append("s1", { role: "user", content: "x" })).toThrow(
      expect.objectContaining({ code: "STATE_E_BUSY" }),
    );
    expect(clock.monotonicMs() - started).toBe(60_000);
    armed = false;
    expect(store.messages.count("s1")).toBe(0);
  });

  it("GND-05 an error that only speaks of a lock, with another code, is not waited out", () => {
    using dir = tempDir("busy");
    const clock = testClock();
    let armed = false;
    const wrong = Object.assign(new Error("database is locked"), { code: "SQLITE_CORRUPT" });
    const driver = beginning(() => (armed ? wrong : undefined));
    using store = openStateStore({ path: dir.file("state.db"), clock, driver });
    store.sessions.create({ id: "s1", source: "test" });
    const before = clock.sleeps.length;
    armed = true;
    expect(() => store.messages.append("s1", { role: "user", content: "x" })).toThrow(
      expect.objectContaining({ code: "STATE_E_CORRUPT" }),
    );
    expect(clock.sleeps).toHaveLength(before);
  });

  it("GND-03 a callback that throws stores nothing and its error comes through unchanged", () => {
    using dir = tempDir("busy");
    using store = openStateStore({ path: dir.file("state.db") });
    const own = new Error("database is locked, says the caller");
    let calls = 0;
    expect(() => {
      store.write("fail", (w) => {
        calls += 1;
        w.run("INSERT INTO sessions (id, source, started_at) VALUES ('x', 'test', 1)");
        throw own;
      });
    }).toThrow(own);
    expect(calls).toBe(1);
    expect(store.sessions.find("x")).toBeUndefined();
  });
});
