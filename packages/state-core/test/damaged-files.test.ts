import { randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { damage, fileHash, fileMode, tempDir } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { isStateError, openStateStore } from "../src/index.js";

function codeOf(fn: () => unknown): string {
  try {
    fn();
    return "no error";
  } catch (error) {
    if (!isStateError(error)) throw error;
    expect(error.message.length).toBeGreaterThan(20);
    return error.code;
  }
}

function goodStore(dir: TempDir): string {
  const path = dir.file("state.db");
  using store = openStateStore({ path });
  store.sessions.create({ id: "s1", source: "test" });
  const texts = Array.from({ length: 50 }, (_, index) => ({ role: "user", content: `text ${String(index)}` }));
  store.messages.appendBatch("s1", texts);
  return path;
}

const NOT_STORES: readonly [string, string, (path: string, good: string) => void][] = [
  ["100 random bytes", "STATE_E_NOT_A_DATABASE", (path) => damage.replace(path, randomBytes(100))],
  ["one byte", "STATE_E_NOT_A_DATABASE", (path) => damage.replace(path, Buffer.from("x"))],
  ["a text file", "STATE_E_NOT_A_DATABASE", (path) => damage.replace(path, Buffer.from("# notes\n".repeat(2000)))],
  ["zeros only", "STATE_E_NOT_A_DATABASE", (path) => damage.replace(path, Buffer.alloc(8192))],
  [
    "a first page of zeros",
    "STATE_E_NOT_A_DATABASE",
    (path, good) => {
      copyFileSync(good, path);
      damage.zero(path, 0, 4096);
    },
  ],
  [
    "a valid file cut to half",
    "STATE_E_CORRUPT",
    (path, good) => {
      copyFileSync(good, path);
      damage.cut(path, 0.5);
    },
  ],
  [
    "a header alone",
    "STATE_E_CORRUPT",
    (path, good) => {
      copyFileSync(good, path);
      damage.headerOnly(path);
    },
  ],
];

describe("files that are no stores", () => {
  for (const [title, code, spoil] of NOT_STORES) {
    for (const mode of ["write", "read"] as const) {
      it(`P04 GND-04 refuses ${title} (mode ${mode}) and leaves it byte for byte`, () => {
        using dir = tempDir("damaged");
        const path = dir.file("bad.db");
        spoil(path, goodStore(dir));
        const before = fileHash(path);
        const names = readdirSync(dir.path);
        expect(codeOf(() => openStateStore({ path, mode }))).toBe(code);
        expect(fileHash(path)).toBe(before);
        expect(readdirSync(dir.path)).toEqual(names);
      });
    }
  }

  it("P04 takes an empty file for a new store", () => {
    using dir = tempDir("damaged");
    const path = dir.file("state.db");
    writeFileSync(path, "");
    using store = openStateStore({ path });
    store.sessions.create({ id: "s1", source: "test" });
    store.messages.append("s1", { role: "user", content: "x" });
    expect(store.messages.count("s1")).toBe(1);
  });

  it("P04 never creates from a reader: a missing and an empty file are no store", () => {
    using dir = tempDir("damaged");
    writeFileSync(dir.file("empty.db"), "");
    for (const name of ["absent.db", "no/folder/x.db", "empty.db"]) {
      expect(codeOf(() => openStateStore({ path: dir.file(name), mode: "read" }))).toBe("STATE_E_STORE_MISSING");
    }
    expect(readdirSync(dir.path)).toEqual(["empty.db"]);
  });

  it("P04 does not take a stale log for the content of a new store", () => {
    using dir = tempDir("damaged");
    const path = dir.file("state.db");
    const good = goodStore(dir);
    damage.replace(good, Buffer.alloc(0));
    writeFileSync(`${path}-wal`, randomBytes(5000));
    using store = openStateStore({ path });
    expect(store.sessions.list({}).sessions).toEqual([]);
    store.sessions.create({ id: "s2", source: "test" });
    expect(store.sessions.get("s2").id).toBe("s2");
  });
});

describe("paths that cannot hold a store", () => {
  it("GND-04 refuses a directory, and leaves it empty", () => {
    using dir = tempDir("paths");
    mkdirSync(dir.file("folder"));
    for (const mode of ["write", "read"] as const) {
      expect(codeOf(() => openStateStore({ path: dir.file("folder"), mode }))).toBe("STATE_E_NOT_A_FILE");
    }
    expect(readdirSync(dir.file("folder"))).toEqual([]);
  });

  it("GND-04 refuses a path below a file, and a device", () => {
    using dir = tempDir("paths");
    writeFileSync(dir.file("plain"), "x");
    expect(codeOf(() => openStateStore({ path: dir.file("plain/state.db") }))).toBe("STATE_E_NOT_ACCESSIBLE");
    expect(codeOf(() => openStateStore({ path: "/dev/null" }))).toBe("STATE_E_NOT_A_FILE");
    expect(readdirSync(dir.path)).toEqual(["plain"]);
  });

  it("GND-04 refuses a symlink that leads in a circle, and creates nothing", () => {
    using dir = tempDir("paths");
    symlinkSync(dir.file("b"), dir.file("a"));
    symlinkSync(dir.file("a"), dir.file("b"));
    expect(codeOf(() => openStateStore({ path: dir.file("a") }))).toBe("STATE_E_NOT_ACCESSIBLE");
    expect(readdirSync(dir.path).sort()).toEqual(["a", "b"]);
  });

  it("COR-13 creates the store where a dangling link points to, and leaves the link", () => {
    using dir = tempDir("paths");
    mkdirSync(dir.file("links"));
    symlinkSync(dir.file("data/deep/state.db"), dir.file("links/state.db"));
    {
      using store = openStateStore({ path: dir.file("links/state.db") });
      store.sessions.create({ id: "s1", source: "test" });
      expect(store.path).toBe(dir.file("data/deep/state.db"));
    }
    expect(readdirSync(dir.file("links"))).toEqual(["state.db"]);
    expect(fileMode(dir.file("data/deep/state.db"))).toBe(0o600);
    using store = openStateStore({ path: dir.file("data/deep/state.db"), mode: "read" });
    expect(store.sessions.count({})).toBe(1);
  });

  it("COR-03 a driver that cannot open leaves at most an empty file, which a later open takes for a new store", () => {
    using dir = tempDir("paths");
    const path = dir.file("a/b/state.db");
    const driver = {
      name: "failing",
      open: (): never => {
        throw Object.assign(new Error("unable to open database file"), { code: "SQLITE_CANTOPEN" });
      },
    };
    expect(codeOf(() => openStateStore({ path, driver }))).toMatch(/^STATE_E_/);
    using store = openStateStore({ path });
    expect(store.sessions.count({})).toBe(0);
  });
});
