import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { describeWith, fdCount, tempDir } from "@hermes/testkit";
import { expect, it } from "vitest";
import { isStateError, openStateStore } from "../src/index.js";
import type { Driver, StateStore } from "../src/index.js";
import { wrappedDriver } from "./wrapped-driver.js";

function newStore(path: string): void {
  using store = openStateStore({ path });
  store.sessions.create({ id: "s1", source: "test" });
  store.messages.append("s1", { role: "user", content: "x" });
}

function expectCode(code: string, fn: () => unknown): void {
  try {
    fn();
  } catch (error) {
    expect(isStateError(error, code as "STATE_E_CLOSED"), String(error)).toBe(true);
    return;
  }
  expect.fail(`expected ${code}`);
}

/** Runs `fn` on stores opened inside one another, `depth` of them. */
function nestReads(store: StateStore, depth: number, deepest: () => void): void {
  if (depth === 0) {
    deepest();
    return;
  }
  store.read(() => {
    nestReads(store, depth - 1, deepest);
  });
}

describeWith(existsSync("/proc/self/fd"), "descriptors can be counted on Linux only", "descriptors", () => {
  it("P25 COR-03 stay constant over 1,000 open, read, write, close", () => {
    using dir = tempDir("fd");
    const path = dir.file("state.db");
    newStore(path);
    const before = fdCount();
    let most = 0;
    for (let round = 0; round < 1000; round++) {
      const store = openStateStore({ path, mode: round % 3 === 2 ? "read" : "write" });
      store.messages.count("s1");
      if (round % 10 === 0 && !store.readonly) store.messages.append("s1", { role: "user", content: "y" });
      most = Math.max(most, fdCount(path));
      store.close();
    }
    expect(fdCount()).toBe(before);
    expect(fdCount(path)).toBe(0);
    expect(most).toBeLessThanOrEqual(8);
  }, 60_000);

  it("P25 COR-03 stay constant over 200 failing opens of every kind", () => {
    using dir = tempDir("fd");
    const good = dir.file("good.db");
    newStore(good);
    mkdirSync(dir.file("folder"));
    writeFileSync(dir.file("plain"), "x");
    writeFileSync(dir.file("noise.db"), randomBytes(9000));
    const failing: (() => unknown)[] = [
      () => openStateStore({ path: dir.file("folder") }),
      () => openStateStore({ path: dir.file("plain/under/state.db") }),
      () => openStateStore({ path: dir.file("noise.db") }),
      () => openStateStore({ path: dir.file("noise.db"), mode: "read" }),
      () => openStateStore({ path: dir.file("absent.db"), mode: "read" }),
      () => openStateStore({ path: good, driver: failingAt("run", 1) }),
      () => openStateStore({ path: good, driver: failingAt("prepare", 1) }),
      () => openStateStore({ path: good, driver: failingAt("prepare", 4) }),
      () => openStateStore({ path: good, driver: failingAt("prepare", 9) }),
      () => openStateStore({ path: good, driver: failingAt("prepare", 20) }),
    ];
    const before = fdCount();
    let failures = 0;
    for (let round = 0; round < 200; round++) {
      try {
        (failing[round % failing.length]?.() as StateStore | undefined)?.close();
      } catch (error) {
        expect(isStateError(error), String(error)).toBe(true);
        failures += 1;
      }
    }
    expect(failures).toBeGreaterThanOrEqual(180);
    expect(fdCount()).toBe(before);
  }, 60_000);

  it("P25 COR-03 closes every handle wherever in its construction an open fails", () => {
    using dir = tempDir("fd");
    const path = dir.file("state.db");
    newStore(path);
    const before = fdCount();
    let point = 0;
    for (let failed = true; failed; ) {
      point += 1;
      try {
        openStateStore({ path, driver: failingAt("any", point) }).close();
        failed = false;
      } catch (error) {
        expect(isStateError(error), `call ${String(point)}: ${String(error)}`).toBe(true);
      }
      expect(fdCount(), `failed at call ${String(point)}`).toBe(before);
    }
    expect(point).toBeGreaterThan(10);
  }, 60_000);

  it("COR-06 50 reads inside one another use at most 8 connections, and every one answers", () => {
    using dir = tempDir("fd");
    const path = dir.file("state.db");
    newStore(path);
    using store = openStateStore({ path });
    const idle = fdCount(path);
    let seen = -1;
    nestReads(store, 50, () => {
      seen = fdCount(path) - idle;
      expect(store.messages.count("s1")).toBe(1);
    });
    // A reader holds the file and its log; the shared memory is open once per process.
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBeLessThanOrEqual(8 * 2);
    store.close();
    expect(fdCount(path)).toBe(0);
  });

  it("COR-06 20 stores of one file share the file's 8 read connections", () => {
    using dir = tempDir("fd");
    const path = dir.file("state.db");
    newStore(path);
    const stores = Array.from({ length: 20 }, () => openStateStore({ path, mode: "read" }));
    for (const store of stores) expect(store.messages.count("s1")).toBe(1);
    expect(fdCount(path)).toBeLessThanOrEqual(8 * 2 + 1);
    for (const store of stores) store.close();
    expect(fdCount(path)).toBe(0);
  });

  it("COR-03 close is idempotent, and everything after it is a typed error", () => {
    using dir = tempDir("fd");
    const path = dir.file("state.db");
    newStore(path);
    const store = openStateStore({ path });
    store.close();
    store.close();
    store[Symbol.dispose]();
    expectCode("STATE_E_CLOSED", () => store.sessions.get("s1"));
    expectCode("STATE_E_CLOSED", () => store.messages.append("s1", { role: "user", content: "x" }));
    expectCode("STATE_E_CLOSED", () => store.info());
    expectCode("STATE_E_CLOSED", () => store.read(() => 1));
    expectCode("STATE_E_CLOSED", () => {
      store.write("x", () => undefined);
    });
    expect(fdCount(path)).toBe(0);
  });

  it("COR-03 a scope closes its store and lets the error of its body through", () => {
    using dir = tempDir("fd");
    const path = dir.file("state.db");
    newStore(path);
    const body = (): void => {
      using store = openStateStore({ path });
      store.sessions.get("s1");
      throw new RangeError("of the body");
    };
    expect(body).toThrow(RangeError);
    expect(fdCount(path)).toBe(0);
  });

  it("COR-03 a close inside a read takes effect when the read is over", () => {
    using dir = tempDir("fd");
    const path = dir.file("state.db");
    newStore(path);
    const store = openStateStore({ path });
    const count = store.read((r) => {
      store.close();
      return r.get<{ n: number }>("SELECT count(*) AS n FROM messages")?.n;
    });
    expect(count).toBe(1);
    expect(fdCount(path)).toBe(0);
  });
});

/** The real driver, except that its n-th call of a kind fails. */
function failingAt(kind: "prepare" | "run" | "any", point: number): Driver {
  let calls = 0;
  const step = (what: "prepare" | "run"): void => {
    if (kind !== "any" && kind !== what) return;
    calls += 1;
    if (calls === point) throw Object.assign(new Error("planted"), { code: "SQLITE_NOMEM" });
  };
  return wrappedDriver("failing", {
    preparing: () => {
      step("prepare");
    },
    running: () => {
      step("run");
    },
  });
}
