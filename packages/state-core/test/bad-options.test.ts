import { existsSync, readdirSync } from "node:fs";
import { tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import type { OpenOptions } from "../src/index.js";

/** What a caller without types may pass. */
function open(options: unknown): void {
  openStateStore(options as OpenOptions).close();
}

describe("options of openStateStore", () => {
  it.each([
    ["pth", "path"],
    ["Path", "path"],
    ["jounal", "journal"],
    ["durabilty", "durability"],
    ["patients", "patience"],
  ])("GND-04 refuses the misspelt option %s and suggests %s", (name, suggestion) => {
    using dir = tempDir("options");
    const options = { path: dir.file("state.db"), [name]: "x" };
    expect(() => {
      open(options);
    }).toThrow(TypeError);
    expect(() => {
      open(options);
    }).toThrow(new RegExp(`"${name}".*"${suggestion}"`));
    expect(readdirSync(dir.path)).toEqual([]);
  });

  it("GND-04 refuses unknown options of every nested object", () => {
    using dir = tempDir("options");
    const path = dir.file("state.db");
    for (const options of [{ path, readonly: true }, { path, patience: { routin: 5 } }]) {
      expect(() => {
        open(options);
      }).toThrow(TypeError);
    }
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    ["path", 7],
    ["path", null],
    ["path", ""],
    ["path", "a\0b"],
    ["path", ["x"]],
    ["path", ":memory:"],
    ["path", "file:x.db?mode=ro"],
    ["home", 7],
    ["mode", "readonly"],
    ["mode", true],
    ["journal", "truncate"],
    ["journal", "WAL"],
    ["durability", "off"],
    ["patience", 5],
    ["patience", { routine: "5" }],
    ["patience", { routine: -1 }],
    ["patience", { routine: Number.NaN }],
    ["patience", { routine: Infinity }],
    ["clock", 5],
    ["clock", {}],
    ["random", "x"],
    ["random", { next: 1 }],
    ["driver", "better-sqlite3"],
    ["driver", {}],
  ])("GND-04 refuses the value of %s: %j", (name, value) => {
    using dir = tempDir("options");
    const options = { path: dir.file("state.db"), [name]: value };
    let thrown: unknown;
    try {
      open(options);
    } catch (error) {
      thrown = error;
    }
    expect(thrown instanceof TypeError || thrown instanceof RangeError, String(thrown)).toBe(true);
    expect((thrown as Error).message).toContain(name);
    expect(readdirSync(dir.path)).toEqual([]);
  });

  it.each([[null], ["state.db"], [7], [["x"]]])("GND-04 refuses %j in place of options", (options) => {
    expect(() => {
      open(options);
    }).toThrow(TypeError);
  });
});
