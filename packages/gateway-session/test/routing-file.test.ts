import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { builtPackage, fileMode, killAfter, seedFor, spawnNode, tempDir, testClock, testRandom } from "@hermes/testkit";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { encodeEntry } from "../src/entry/encode-entry.js";
import { newEntry } from "../src/entry/new-entry.js";
import { readRoutingFile } from "../src/entry/read-routing-file.js";
import { writeRoutingFile } from "../src/entry/write-routing-file.js";

const CHILD = fileURLToPath(new URL("./children/write-routes.mjs", import.meta.url));

function route(key: string): [string, ReturnType<typeof encodeEntry>] {
  const source = { platform: "telegram", chatId: "5" };
  return [key, encodeEntry(newEntry({ sessionKey: key, sessionId: "s1", source, nowSeconds: 1_780_000_000 }))];
}

describe("the routing file for older programs", () => {
  it("GWS-02 begins with a remark, is private, and gives the routes back", () => {
    using dir = tempDir("routes");
    const path = dir.file("sessions/sessions.json");
    const routes = new Map([route("agent:main:telegram:dm:5"), route("agent:main:matrix:dm::!r%3As")]);
    writeRoutingFile(path, routes);
    expect(Object.keys(JSON.parse(readFileSync(path, "utf8")) as object)[0]).toBe("_README");
    expect(fileMode(path)).toBe(0o600);
    expect(readRoutingFile(path)).toEqual({ entries: routes, skipped: [] });
    expect(readdirSync(dir.file("sessions"))).toEqual(["sessions.json"]);
  });

  it("GWS-02 takes the place of an older one, however that could be read", () => {
    using dir = tempDir("routes");
    const path = dir.file("sessions.json");
    writeFileSync(path, "{ torn", { mode: 0o644 });
    writeRoutingFile(path, new Map([route("k")]));
    expect([...readRoutingFile(path).entries.keys()]).toEqual(["k"]);
    expect(fileMode(path)).toBe(0o600);
  });

  it("GWS-02 leaves nothing behind when it cannot be written", () => {
    using dir = tempDir("routes");
    mkdirSync(dir.file("sessions.json/inside"), { recursive: true });
    expect(() => {
      writeRoutingFile(dir.file("sessions.json"), new Map([route("k")]));
    }).toThrow();
    expect(readdirSync(dir.path)).toEqual(["sessions.json"]);
  });

  it("GWS-02 clears away what a killed writer left, but not what another one is writing", () => {
    using dir = tempDir("routes");
    const [old, young] = ["sessions.json.0123456789abcdef.draft", "sessions.json.fedcba9876543210.draft"];
    for (const name of [old, young, "sessions.json.bak"]) writeFileSync(dir.file(name), "");
    utimesSync(dir.file(old), 1_780_000_000, 1_780_000_000);
    utimesSync(dir.file(young), 1_780_003_000, 1_780_003_000);
    const clock = testClock(1_780_004_000);
    writeRoutingFile(dir.file("sessions.json"), new Map([route("k")]), { clock, random: testRandom(1) });
    expect(readdirSync(dir.path).sort()).toEqual(["sessions.json", young, "sessions.json.bak"].sort());
  });

  it("GWS-02 is whole after its writer was killed at any moment", async () => {
    using dir = tempDir("routes");
    const path = dir.file("sessions.json");
    const random = testRandom(seedFor("GWS-02 killed writer of the routing file"));
    writeRoutingFile(path, new Map([["agent:main:x:dm:0", { session_id: "s0", round: -1 }]]));
    for (let kill = 0; kill < 4; kill++) {
      const child = spawnNode(CHILD, [builtPackage("gateway-session"), path], { timeout: 30_000 });
      await child.waitForLine((line) => line === "writing");
      const end = await killAfter(child, 20 + Math.floor(random.next() * 200));
      expect(end.signal).toBe("SIGKILL");
      const { entries, skipped, problem } = readRoutingFile(path);
      expect([skipped, problem]).toEqual([[], undefined]);
      expect([1, 300]).toContain(entries.size);
      expect(new Set([...entries.values()].map((json) => json["round"])).size).toBe(1);
    }
  }, 60_000);
});
