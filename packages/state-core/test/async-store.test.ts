import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { builtPackage, childEnvironment, runStateStoreContract, tempDir } from "@hermes/testkit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type * as Core from "../src/index.js";

// The worker is a file of the build, so the build is what is tested here.
const built: string = "../dist/index.js";
const { isStateError, openOfflineScope, openStateStore, openStateStoreAsync } = (await import(built)) as typeof Core;

runStateStoreContract("COR-38 openStateStoreAsync", {
  open: (path) => openStateStoreAsync({ path }),
});

let folder: ReturnType<typeof tempDir>;
let path: string;
beforeEach(() => {
  folder = tempDir();
  path = join(folder.path, "state.db");
});
afterEach(() => {
  folder[Symbol.dispose]();
});

async function codeOf(action: () => Promise<unknown>): Promise<string> {
  try {
    await action();
  } catch (error) {
    return isStateError(error) ? error.code : (error as Error).name;
  }
  return "none";
}

describe("openStateStoreAsync", () => {
  it("COR-38 streams with back-pressure and ends a stream that is left early", async () => {
    await using store = await openStateStoreAsync({ path });
    for (let index = 0; index < 200; index++) {
      await store.sessions.create({ id: `s${String(index).padStart(3, "0")}`, source: "cli", startedAtSeconds: index });
    }
    const all: string[] = [];
    for await (const session of store.sessions.iterate()) all.push(session.id);
    expect(all).toHaveLength(200);
    expect(all[0]).toBe("s199");
    for await (const session of store.sessions.iterate()) {
      expect(session.id).toBe("s199");
      break;
    }
    expect(await store.sessions.count()).toBe(200);
  });

  it("COR-38 takes back what has not begun, and reports what has", async () => {
    await using store = await openStateStoreAsync({ path });
    const controller = new AbortController();
    const bound = store.with({ signal: controller.signal });
    const calls = Array.from({ length: 50 }, (_, index) => bound.sessions.create({ id: `s${index}`, source: "cli" }));
    const settled = Promise.allSettled(calls);
    controller.abort();
    const results = await settled;
    const stored = results.filter(({ status }) => status === "fulfilled").length;
    expect(stored).toBeLessThan(50);
    // Whatever was answered is true: no more and no fewer rows than calls that succeeded.
    expect(await store.sessions.count()).toBe(stored);
    for (const result of results) {
      if (result.status === "rejected") expect((result.reason as Error).name).toBe("AbortError");
    }
    expect(await codeOf(() => bound.sessions.count())).toBe("AbortError");
  });

  it("COR-38 ends a stream between two batches when its signal fires", async () => {
    await using store = await openStateStoreAsync({ path });
    for (let index = 0; index < 150; index++) await store.sessions.create({ id: `s${index}`, source: "cli" });
    const controller = new AbortController();
    const seen: string[] = [];
    const name = await codeOf(async () => {
      for await (const session of store.with({ signal: controller.signal }).sessions.iterate()) {
        seen.push(session.id);
        if (seen.length === 10) controller.abort();
      }
    });
    expect(name).toBe("AbortError");
    expect(seen.length).toBeLessThan(150);
    expect(await store.sessions.count()).toBe(150);
  });

  it("COR-38 carries typed errors, misuse errors and their facts", async () => {
    await using store = await openStateStoreAsync({ path });
    const error = await store.sessions.get("nobody").catch((thrown: unknown) => thrown);
    expect(isStateError(error, "STATE_E_SESSION_NOT_FOUND")).toBe(true);
    expect((error as Core.StateError).facts).toMatchObject({ sessionId: "nobody" });
    expect(await codeOf(() => store.sessions.list({ limt: 3 } as object))).toBe("TypeError");
    expect(await codeOf(() => (store.sessions as unknown as { nope(): Promise<void> }).nope())).toBe("TypeError");
    expect(await codeOf(() => openStateStoreAsync({ clock: {} } as object))).toBe("TypeError");
  });

  it("COR-38 surfaces the worker's death as a typed error and loses nothing acknowledged", async () => {
    const store = await openStateStoreAsync({ path });
    using posted = vi.spyOn(Worker.prototype, "postMessage");
    const acknowledged: string[] = [];
    const calls = Array.from({ length: 400 }, async (_, index) => {
      acknowledged.push((await store.sessions.create({ id: `s${index}`, source: "cli" })).id);
      // The worker ends in the middle of the queue, as if the system had killed it.
      if (acknowledged.length === 30) void (posted.mock.contexts[0] as Worker).terminate();
    });
    const failed = (await Promise.allSettled(calls)).filter((result) => result.status === "rejected");
    expect(failed.length).toBeGreaterThan(0);
    for (const { reason } of failed) expect(isStateError(reason, "STATE_E_WORKER_LOST")).toBe(true);
    expect(await codeOf(() => store.sessions.count())).toBe("STATE_E_WORKER_LOST");
    await store.close();
    using again = openStateStore({ path });
    expect(acknowledged.filter((id) => again.sessions.find(id) === undefined)).toEqual([]);
    expect(acknowledged.length + failed.length).toBe(400);
  });

  it("COR-38 reports an open that fails, creates nothing and leaves no worker behind", async () => {
    expect(await codeOf(() => openStateStoreAsync({ path, mode: "read" }))).toBe("STATE_E_STORE_MISSING");
    expect(existsSync(path)).toBe(false);
    expect(await codeOf(() => openStateStoreAsync({ path: folder.path }))).toBe("STATE_E_NOT_A_FILE");
  });

  it("COR-38 ends a process that only has a store open, and not one that waits for an answer or the close", () => {
    const run = (code: string): string => {
      const script = `import { openStateStoreAsync } from ${JSON.stringify(builtPackage("state-core"))};
        const store = await openStateStoreAsync({ path: ${JSON.stringify(path)} }); ${code}`;
      writeFileSync(folder.file("script.mjs"), script);
      const options = { encoding: "utf8", timeout: 30_000, env: childEnvironment() } as const;
      return execFileSync(process.execPath, [folder.file("script.mjs")], options).trim();
    };
    expect(run('console.log("open");')).toBe("open");
    expect(run('console.log(await store.sessions.count()); await store.close(); console.log("closed");')).toBe(
      "0\nclosed",
    );
    expect(run('await Promise.all([store.close(), store.close()]); await store.close(); console.log("closed");')).toBe(
      "closed",
    );
  });

  it.each([["--input-type=module"], ["--input-type", "module"]])(
    "COR-38 serves text that is run as a module with %s",
    (...flag) => {
      const text = `import { openStateStoreAsync } from ${JSON.stringify(builtPackage("state-core"))};
        const store = await openStateStoreAsync({ path: ${JSON.stringify(path)} });
        console.log(await store.sessions.count());
        await store.close();`;
      const options = { encoding: "utf8", timeout: 30_000, env: childEnvironment() } as const;
      expect(execFileSync(process.execPath, [...flag, "-e", text], options).trim()).toBe("0");
    },
  );

  it("COR-07 COR-38 counts the worker's connections as this process's", async () => {
    const store = await openStateStoreAsync({ path });
    expect(() => openOfflineScope(path)).toThrow(expect.objectContaining({ code: "STATE_E_LIVE_CONNECTION" }));
    using beside = openStateStore({ path });
    beside.sessions.create({ id: "beside", source: "cli" });
    expect((await store.sessions.get("beside")).id).toBe("beside");
    beside.close();
    await store.close();
    await store.close();
    openOfflineScope(path)[Symbol.dispose]();
    expect(await codeOf(() => store.sessions.count())).toBe("STATE_E_CLOSED");
  });
});
