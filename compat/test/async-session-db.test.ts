import { join } from "node:path";
import { tempDir } from "@hermes/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { publicMethods } from "../src/session-db/public-methods.js";
import { SessionDB } from "../src/session-db/index.js";
import type { SessionDB as Facade } from "../src/session-db/index.js";
import { builtSessionDb } from "./support/built-session-db.js";

const { AsyncSessionDB } = builtSessionDb();

let folder: ReturnType<typeof tempDir>;
let path: string;
beforeEach(() => {
  folder = tempDir();
  path = join(folder.path, "state.db");
});
afterEach(() => folder[Symbol.dispose]());

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => "nothing thrown",
    (error: unknown) => (error as { code?: unknown }).code ?? (error as Error).name,
  );
}

/** Types: every method of the one is one of the other, and what it returns is promised. */
type Methods<T> = { [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never }[keyof T];
type Missing = Exclude<Methods<Facade>, Methods<InstanceType<typeof AsyncSessionDB>> | typeof Symbol.dispose>;
type Surplus = Exclude<Methods<InstanceType<typeof AsyncSessionDB>>, Methods<Facade> | typeof Symbol.asyncDispose>;

describe("AsyncSessionDB", () => {
  it("CPT-01 has the methods of SessionDB and no other", () => {
    const missing: [Missing] extends [never] ? "none" : Missing = "none";
    const surplus: [Surplus] extends [never] ? "none" : Surplus = "none";
    expect([missing, surplus]).toEqual(["none", "none"]);
    expect(publicMethods(AsyncSessionDB)).toEqual(publicMethods(SessionDB));
  });

  it("CPT-01 COR-38 writes, reads, lists and searches in a worker, in the order of the calls", async () => {
    await using db = new AsyncSessionDB(path);
    const [id, row, listed] = await Promise.all([
      db.createSession("s1", "cli", { title: "First" }),
      db.appendMessage("s1", "user", "where is the harbour"),
      db.listSessionsRich({ limit: 5 }),
    ]);
    expect([id, row]).toEqual(["s1", 1]);
    expect(listed.map((line) => [line.id, line.preview])).toEqual([["s1", "where is the harbour"]]);
    expect((await db.searchMessages("harbour"))[0]).toMatchObject({ id: 1, sessionId: "s1" });
    expect(await db.searchMessages("harbour", null, null, ["assistant"])).toEqual([]);
    expect(await db.getSession("none")).toBeNull();
    expect(await db.sessionCountBySource()).toEqual({ cli: 1 });
    expect(await db.sanitizeTitle("  a  b ")).toBe("a b");
  });

  it("CPT-01 spells rows as the file where that is asked for, exports and imports", async () => {
    await using db = new AsyncSessionDB(path, { rows: "peer" });
    await db.createSession("s1", "cli");
    await db.appendMessage("s1", "user", "hello");
    expect(await db.getSession("s1")).toMatchObject({ started_at: expect.any(Number) as number, message_count: 1 });
    const exported = await db.exportAll();
    await db.deleteSession("s1");
    expect(await db.importSessions(exported)).toMatchObject({ ok: true, imported: 1, imported_ids: ["s1"] });
  });

  it("CPT-01 tells a listener of this thread where the work of the other one is", async () => {
    await using db = new AsyncSessionDB(path);
    const phases: string[] = [];
    const result = await db.optimizeFtsStorage({ progressCb: ({ phase }) => phases.push(phase) });
    expect(result).toMatchObject({ ok: true });
    expect(phases.at(-1)).toBe("done");
    expect(await db.rebuildFts()).toBe(2);
  });

  it("COR-38 carries typed errors, and misuse as TypeError", async () => {
    await using db = new AsyncSessionDB(path);
    await db.createSession("s1", "cli");
    await db.createSession("s2", "cli");
    await db.setSessionTitle("s1", "Taken");
    expect(await codeOf(db.setSessionTitle("s2", "Taken"))).toBe("STATE_E_TITLE_TAKEN");
    expect(await codeOf(db.listSessionsRich({ limt: 1 } as never))).toBe("TypeError");
    expect(await codeOf(db.searchMessages("x", { fields: ["nonsense"] }))).toBe("RangeError");
    expect(() => new AsyncSessionDB(path, { clock: undefined } as never)).toThrow(TypeError);
    expect(() => new AsyncSessionDB(path, { rows: "snake" as never })).toThrow(TypeError);
    const { getSession } = db;
    expect(await codeOf(getSession("s1"))).toBe("TypeError");
  });

  it("COR-38 rejects every call where the store cannot be opened, and after it was closed", async () => {
    const absent = new AsyncSessionDB(join(folder.path, "absent.db"), { readOnly: true });
    expect(await codeOf(absent.getSession("s1"))).not.toBe("nothing thrown");
    await absent.close();
    expect(await codeOf(AsyncSessionDB.open(join(folder.path, "absent.db"), { readOnly: true }))).not.toBe(
      "nothing thrown",
    );
    const db = await AsyncSessionDB.open(path);
    const last = db.createSession("s1", "cli");
    await db.close();
    await db.close();
    expect(await last).toBe("s1");
    expect(await codeOf(db.getSession("s1"))).toBe("STATE_E_CLOSED");
    using sync = new SessionDB(path);
    expect(sync.getSession("s1")?.id).toBe("s1");
  });

  it("COR-38 leaves the event loop free while the worker is busy", async () => {
    await using db = await AsyncSessionDB.open(path);
    await db.createSession("s1", "cli");
    const messages = Array.from({ length: 3_000 }, (_, at) => ({ role: "user", content: `message ${String(at)}` }));
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await db.appendMessagesBatch("s1", messages);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
    expect(await db.messageCount("s1")).toBe(3_000);
  });
});
