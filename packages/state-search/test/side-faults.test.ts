import { mkdirSync, readdirSync, readlinkSync } from "node:fs";
import { openMaintenanceConnection, openStateStore, type StateStore } from "@hermes/state-core";
import { fileHash, fileMode, type TempDir, tempDir } from "@hermes/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { catchUpSideIndex, dropSideIndex, searchMessages } from "../src/index.js";
import { closeSideFile, openSideFile, sidePath } from "../src/side-index/side-file.js";
import { SCISSORS } from "../src/side-index/side-state.js";
import { searchIds } from "./helpers/search-ids.js";
import { freshSide, SPOILT, spoilSide } from "./helpers/side-states.js";

describe("the file beside a store", () => {
  let dir: TempDir;
  let store: StateStore;
  let expected: number[];

  beforeEach(() => {
    dir = tempDir("side-faults");
    store = openStateStore({ path: dir.file("state.db"), durability: "normal" });
    store.sessions.create({ id: "s1", source: "cli" });
    const messages = Array.from({ length: 400 }, (_, index) => ({
      role: "user",
      content:
        index % 7 === 0
          ? `第${String(index)}次部署失败，数据连接断开 ${"字".repeat(index)}`
          : `plain row ${String(index)}`,
    }));
    const receipts = store.messages.appendBatch("s1", messages);
    expected = receipts.filter((_, index) => index % 7 === 0).map(({ id }) => id);
  });

  afterEach(() => {
    store.close();
    dir[Symbol.dispose]();
  });

  const openFiles = (): string[] =>
    readdirSync("/proc/self/fd").flatMap((name) => {
      try {
        return [readlinkSync(`/proc/self/fd/${name}`)];
      } catch {
        // Closed meanwhile.
        return [];
      }
    });

  it("SEA-03 answers two characters from the side index, and reads rows without it", () => {
    expect(searchMessages(store, "数据")).toMatchObject({ route: "scan", readBecause: "not-indexed" });
    freshSide(store);
    expect(searchMessages(store, "数据")).toMatchObject({ route: "side", readBecause: undefined, complete: true });
    expect(searchIds(store, "数据")).toEqual(expected);
    expect(searchIds(store, "据连")).toEqual(expected);
    dropSideIndex(store.path);
    expect(readdirSync(dir.path).filter((name) => name.includes("search-side"))).toEqual([]);
    expect(searchMessages(store, "数据")).toMatchObject({ route: "scan" });
  });

  it("COR-13 is readable by its owner only, and closed with the store", () => {
    freshSide(store);
    for (const suffix of ["", "-wal", "-shm"]) expect(fileMode(sidePath(store.path) + suffix), suffix).toBe(0o600);
    store.close();
    expect(openFiles().filter((path) => path.includes(dir.path))).toEqual([]);
  });

  for (const { name, spoil } of SPOILT) {
    it(`SEA-03 changes no answer and is made anew when it is found ${name}`, () => {
      spoilSide(store, spoil);
      for (const query of ["数据", "断开 plain OR 失败", "部"])
        expect(searchIds(store, query), query).toEqual(expected);
      freshSide(store);
      expect(searchMessages(store, "数据").route).toBe("side");
      expect(searchIds(store, "数据")).toEqual(expected);
    });
  }

  it("SEA-03 waits for nobody: a file that another holds is not read", () => {
    freshSide(store);
    closeSideFile(sidePath(store.path));
    using other = openMaintenanceConnection(sidePath(store.path));
    other.pragma("locking_mode=EXCLUSIVE");
    other.exec("BEGIN EXCLUSIVE");
    expect(searchMessages(store, "数据").route).toBe("scan");
    expect(searchIds(store, "数据")).toEqual(expected);
    expect(catchUpSideIndex(store).outcome).toBe("unavailable");
    other.exec("ROLLBACK");
    other.close();
    expect(searchMessages(store, "数据").route).toBe("side");
  });

  it("SEA-03 does without a place to write", () => {
    mkdirSync(sidePath(store.path));
    expect(catchUpSideIndex(store).outcome).toBe("unavailable");
    expect(searchIds(store, "数据")).toEqual(expected);
  });

  it("SEA-03 keeps what it has when the disk is full", () => {
    freshSide(store);
    const { connection } = openSideFile(store.info(), true) ?? {};
    connection?.pragma(`max_page_count=${String(connection.pragma("page_count"))}`);
    const more = Array.from({ length: 300 }, () => ({
      role: "user",
      content: `数据 ${"满".repeat(10)}${String(Math.PI)}`,
    }));
    const added = store.messages.appendBatch(
      "s1",
      more.map((message, index) => ({
        ...message,
        content: `${message.content} 第${String.fromCodePoint(0x4e00 + index)}`,
      })),
    );
    expect(catchUpSideIndex(store).outcome).toBe("unavailable");
    expect(searchIds(store, "数据")).toEqual([...expected, ...added.map(({ id }) => id)]);
    expect(searchMessages(store, "数据").route).toBe("side");
  });

  it("SEA-03 is used and left alone by a store that is open for reading", () => {
    freshSide(store);
    const path = store.path;
    store.close();
    const before = fileHash(sidePath(path));
    using reader = openStateStore({ path, mode: "read" });
    expect(searchMessages(reader, "数据").route).toBe("side");
    expect(searchIds(reader, "数据")).toEqual(expected);
    expect(catchUpSideIndex(reader).outcome).toBe("unavailable");
    reader.close();
    expect(fileHash(sidePath(path))).toBe(before);
  });

  it("SEA-03 belongs to one life of one store: another is never answered from it", () => {
    freshSide(store);
    store.write("test: another life", (w) =>
      w.run("UPDATE state_meta SET value = 'another' WHERE key = 'db_file_generation'"),
    );
    store.meta.set("db_file_generation", "another");
    expect(searchMessages(store, "数据").route).toBe("scan");
    freshSide(store);
    expect(searchMessages(store, "数据").route).toBe("side");
  });

  it("SEA-17 is made anew by newer rules of what a word is, and left alone by older ones", () => {
    const setRules = (rules: string): void => {
      freshSide(store);
      const { connection } = openSideFile(store.info(), true) ?? {};
      const state = connection?.get<{ state: string }>("SELECT state FROM side_state")?.state ?? "";
      connection?.run("UPDATE side_state SET state = ?", [state.replace(SCISSORS, rules)]);
    };
    setRules("0/15.0");
    expect(searchMessages(store, "数据").route).toBe("scan");
    freshSide(store);
    expect(searchMessages(store, "数据").route).toBe("side");
    setRules("999/15.0");
    expect(searchMessages(store, "数据").route).toBe("scan");
    expect(catchUpSideIndex(store).outcome).toBe("unavailable");
    expect(searchIds(store, "数据")).toEqual(expected);
  });

  it("SEA-03 makes the file by itself, in small steps, once rows are looked through again and again", () => {
    const many = Array.from({ length: 5_200 }, (_, index) => ({ role: "user", content: `row ${String(index)}` }));
    store.messages.appendBatch("s1", many);
    const routes = Array.from({ length: 5 }, () => searchMessages(store, "数据").route);
    expect(routes).toEqual(["scan", "side", "side", "side", "side"]);
    expect(searchIds(store, "数据")).toEqual(expected);
  });

  it("SEA-03 reports progress and stops when it is told to", () => {
    const done: number[] = [];
    catchUpSideIndex(store, { onProgress: (progress) => done.push(progress.done) });
    expect(done.at(-1)).toBe(400);
    const controller = new AbortController();
    controller.abort(new Error("enough"));
    expect(() => catchUpSideIndex(store, { signal: controller.signal })).toThrow("enough");
  });
});
