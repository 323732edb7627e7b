import { describe, expect, it } from "vitest";
import { peerFile, peerFolder, tempDir } from "../src/index.js";
import { runVitest } from "./run-vitest.js";

describe("suites over peer files", () => {
  it("are skipped with a plain message where the folder is absent", async () => {
    using dir = tempDir("peer");
    const end = await runVitest("needs-peer-files.test.ts", { HERMES_PEER_FILES: dir.file("absent"), REQUIRE_PEER_FILES: "" });
    expect(end.code, end.stderr + end.stdout).toBe(0);
    expect(end.stderr + end.stdout).toContain('skipped "a suite over peer files": the folder of peer files is absent');
    expect(end.stdout).toContain("1 skipped");
  });

  it("fail where the folder is absent and REQUIRE_PEER_FILES=1 says that it must be there", async () => {
    using dir = tempDir("peer");
    const end = await runVitest("needs-peer-files.test.ts", { HERMES_PEER_FILES: dir.file("absent"), REQUIRE_PEER_FILES: "1" });
    expect(end.code).toBe(1);
    expect(end.stdout).toContain("1 failed");
  });

  it("name the file and the remedy when they are asked for outside of such a suite", () => {
    const before = process.env["HERMES_PEER_FILES"];
    process.env["HERMES_PEER_FILES"] = "/nonexistent";
    try {
      expect(peerFolder()).toBeUndefined();
      expect(() => peerFile("peer-v11.db")).toThrow(/peer-v11\.db.*HERMES_PEER_FILES/);
    } finally {
      if (before === undefined) delete process.env["HERMES_PEER_FILES"];
      else process.env["HERMES_PEER_FILES"] = before;
    }
  });
});
