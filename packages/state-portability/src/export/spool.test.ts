import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Spool } from "./spool.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "spool-test-"));
  vi.stubEnv("TMPDIR", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function drain(spool: Spool): string {
  return Buffer.concat(Array.from(spool.chunks(), (chunk) => Buffer.from(chunk))).toString("utf8");
}

describe("Spool", () => {
  it("POR-01 keeps little in memory and writes no file", () => {
    using spool = new Spool();
    spool.write("数据");
    spool.write("库");
    expect(drain(spool)).toBe("数据库");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("POR-01 moves much to a file that nobody else sees and that is gone with it", () => {
    const line = `${"修复".repeat(1000)}\n`;
    {
      using spool = new Spool();
      for (let count = 0; count < 700; count++) spool.write(line);
      if (process.platform !== "win32") expect(readdirSync(folder)).toEqual([]);
      expect(drain(spool)).toBe(line.repeat(700));
    }
    expect(readdirSync(folder)).toEqual([]);
    expect(existsSync(folder)).toBe(true);
  });

  it("POR-01 says where there is no room for what does not fit into memory", () => {
    vi.stubEnv("TMPDIR", join(folder, "missing"));
    using spool = new Spool();
    spool.write("little");
    expect(() => spool.write("x".repeat(2_000_000))).toThrow(expect.objectContaining({ code: "STATE_E_EXPORT_SPOOL" }));
  });

  it("yields nothing when nothing was written", () => {
    using spool = new Spool();
    expect([...spool.chunks()]).toEqual([]);
  });
});
