import { renameSync, rmSync } from "node:fs";
import { openMaintenanceConnection, openStateStore, StateError } from "@hermes/state-core";
import { damage } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openWriter, user } from "./support/open-writer.js";
import type { TestWriter } from "./support/open-writer.js";

const S1 = { sessionId: "s1" };
const busy = (): never => {
  throw new StateError("STATE_E_BUSY", "database is locked");
};

const statePath = (test: TestWriter): string => test.store.path;

/** Closes whatever is left of the store and opens one at its path. */
function reopen(test: TestWriter): void {
  const path = statePath(test);
  test.store.close();
  test.store = openStateStore({ path });
}

describe("a store that is not the one it was", () => {
  it.each([
    ["STATE_E_REPLACED", (test: TestWriter, spare: string) => renameSync(spare, statePath(test))],
    ["STATE_E_WAL_DELETED", (test: TestWriter) => rmSync(`${statePath(test)}-wal`)],
  ] as const)(
    "GWS-05 %s: the queue goes to disk, the writer stops, a healthy store gets it all",
    async (code, harm) => {
      await using test = openWriter();
      const spare = `${statePath(test)}.spare`;
      {
        using other = openStateStore({ path: spare });
        other.sessions.create({ id: "s1", source: "telegram" });
      }
      test.fault = busy;
      await test.writer.append(S1, user("a"));
      test.fault = () => undefined;
      harm(test, spare);
      const receipts = await Promise.all([test.writer.append(S1, user("b")), test.writer.append(S1, user("c"))]);
      expect(receipts).toMatchObject([
        { state: "spooled", durable: true, problem: { code: "STATE_E_WRITER_STOPPED", facts: { code } } },
        { state: "spooled", durable: true },
      ]);
      expect(test.writer.stopped).toMatchObject({ code: "STATE_E_WRITER_STOPPED" });
      expect(test.warnings.filter(({ what }) => what === "stopped")).toHaveLength(1);
      // It takes messages on, but does not touch the store.
      expect(await test.writer.append(S1, user("d"))).toMatchObject({ state: "spooled" });
      for (const attempt of [
        test.writer.flush(),
        test.writer.load(S1),
        test.writer.rewind(S1),
        test.writer.rewrite(S1, [], "all"),
      ]) {
        await expect(attempt).rejects.toMatchObject({ code: "STATE_E_WRITER_STOPPED" });
      }
      expect(test.spooled()).toHaveLength(4);
      await test.writer.close();
      reopen(test);
      if (code === "STATE_E_WAL_DELETED" && !test.store.sessions.find("s1")) {
        test.store.sessions.create({ id: "s1", source: "telegram" });
      }
      test.die();
      await test.writer.replay();
      expect(test.texts("s1")).toEqual(["a", "b", "c", "d"]);
      expect(test.spooled()).toEqual([]);
    },
  );

  it("GWS-05 STATE_E_CORRUPT stops it too: what waits for every session goes to disk in the order it came in", async () => {
    await using test = openWriter();
    test.store.sessions.create({ id: "s2", source: "telegram" });
    test.fault = busy;
    await test.writer.append({ sessionId: "s2" }, user("a"));
    await test.writer.append(S1, user("b"));
    await test.writer.append({ sessionId: "s2" }, user("c"));
    test.fault = () => {
      throw new StateError("STATE_E_CORRUPT", "database disk image is malformed");
    };
    expect(await test.writer.append(S1, user("d"))).toMatchObject({ state: "spooled" });
    const payloads = test
      .spooled()
      .map((text) => JSON.parse(text) as { ts: number; seq: number; data: { message: { content: string } } });
    expect(payloads.map(({ data }) => data.message.content)).toEqual(["a", "b", "c", "d"]);
    expect(payloads.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it("GWS-05 a damaged page of the store itself stops it, and loses nothing", async () => {
    await using test = openWriter();
    const path = statePath(test);
    await test.writer.append(S1, user("before"));
    const spare = `${path}.spare`;
    test.store.close();
    const { copyFileSync } = await import("node:fs");
    copyFileSync(path, spare);
    damage.zero(path, 4096, 4096 * 8);
    test.store = openStateStore({ path: spare });
    test.store.close();
    let failure: unknown;
    try {
      test.store = openStateStore({ path });
    } catch (error) {
      failure = error;
    }
    test.die();
    const receipt = await test.writer.append(S1, user("after"));
    // However far the damage goes, the message is not stored there, and not lost.
    expect([receipt.state, failure === undefined]).toEqual([
      receipt.state === "spooled" ? "spooled" : "queued",
      failure === undefined,
    ]);
    await test.writer.close();
    expect(test.spooled()).toHaveLength(1);
    test.store = openStateStore({ path: spare });
    test.die();
    await test.writer.replay();
    expect(test.texts("s1")).toEqual(["before", "after"]);
  });

  it("GWS-05 a disk that is full as well: what fits is kept in order, the rest is still in memory and told", async () => {
    await using test = openWriter();
    const { writeFileSync } = await import("node:fs");
    writeFileSync(test.folder, "no folder");
    test.fault = () => {
      throw new StateError("STATE_E_REPLACED", "was replaced underneath this handle");
    };
    expect(await test.writer.append(S1, user("a"))).toMatchObject({
      state: "queued",
      durable: false,
      problem: { code: "STATE_E_SPOOL_FAILED" },
    });
    rmSync(test.folder);
    expect(await test.writer.append(S1, user("b"))).toMatchObject({ state: "spooled" });
    expect(test.spooled()).toHaveLength(2);
  });
});

describe("an engine behind a network", () => {
  it("GWS-05 a connection that fails is no refusal of the message", async () => {
    await using test = openWriter();
    test.fault = () => {
      throw new TypeError("fetch failed", { cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }) });
    };
    expect(await test.writer.append(S1, user("a"))).toMatchObject({ state: "queued" });
    test.fault = () => undefined;
    await test.writer.flush();
    expect(test.texts("s1")).toEqual(["a"]);
  });
});

describe("a damaged search index", () => {
  it("GWS-05 a message is tried again at most once for it", async () => {
    await using test = openWriter();
    let calls = 0;
    test.fault = () => {
      calls += 1;
      throw new StateError("STATE_E_INDEX_DAMAGED", "fts5: corruption found");
    };
    expect(await test.writer.append(S1, user("a"))).toMatchObject({ state: "queued" });
    expect(calls).toBe(2);
    test.fault = () => {
      if ((calls += 1) === 3) throw new StateError("STATE_E_INDEX_DAMAGED", "fts5: corruption found");
    };
    expect(await test.writer.append(S1, user("b"))).toMatchObject({ state: "stored" });
    expect(test.texts("s1")).toEqual(["a", "b"]);
  });

  it("GWS-05 a real one is taken off inside the write: the message is stored by the first try", async () => {
    await using test = openWriter();
    await test.writer.append(S1, user("before"));
    const path = statePath(test);
    test.store.close();
    {
      using file = openMaintenanceConnection(path);
      file.transaction((w) => w.editSchema("UPDATE messages_fts_data SET block = zeroblob(length(block))"));
    }
    test.store = openStateStore({ path });
    test.die();
    let calls = 0;
    test.fault = () => (calls += 1);
    expect(await test.writer.append(S1, user("after"))).toMatchObject({ state: "stored" });
    expect([calls, test.texts("s1"), test.warnings]).toEqual([1, ["before", "after"], []]);
  });
});
