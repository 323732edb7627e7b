import { writeFileSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import {
  buildOldStore,
  builtPackage,
  type Child,
  copyPeerFile,
  describePeer,
  describePython,
  spawnNode,
  type TempHome,
  tempHome,
} from "@hermes/testkit";
import { readIndexState } from "@hermes/state-schema";
import { describe, expect, it, vi } from "vitest";
import { commandPath, fillHome, hermes, hermesJson } from "./support.js";

interface ErrorDocument {
  readonly error: {
    readonly code: string;
    readonly holders: readonly { readonly pid: number; readonly command: string }[];
  };
}

const LEFT = "SELECT COUNT(*) AS n FROM sqlite_master WHERE name LIKE 'fts\\_v22\\_trash\\_%' ESCAPE '\\'";
const VERBS = ["optimize", "optimize-storage", "vacuum"];
const QUERIES = ["the", "docker", "数据库", "a*"];

// Each test starts the command many times.
vi.setConfig({ testTimeout: 90_000 });

/** Ids of what a search finds, by the command. */
function found(path: string, query: string): readonly number[] {
  const { hits } = hermesJson<{ hits: { messageId: number }[] }>(["search", query, "--limit", "500", "--db", path]);
  return hits.map(({ messageId }) => messageId).sort((a, b) => a - b);
}

/** A process that has the store open until its standard input says something. */
function holdStore(home: TempHome): Child {
  const script = home.file("hold-the-store.mjs");
  writeFileSync(
    script,
    `import { openStateStore } from ${JSON.stringify(builtPackage("state-core"))};
     const store = openStateStore({ path: process.argv[2] });
     console.log("open");
     process.stdin.once("data", () => { store.close(); process.stdin.destroy(); });`,
  );
  return spawnNode(script, [home.statePath]);
}

describePeer("optimize-storage on files of real peers", () => {
  it.each([
    "peer-v04.db",
    "peer-v22.db",
    "peer-v26-from-v04-direct.db",
    "peer-v26-rebuild-pending.db",
    "peer-v30-hybrid.db",
  ])("SEA-12 upgrades %s, finds the same as before, and has nothing to do the second time", (name) => {
    using home = tempHome();
    const path = copyPeerFile(name, home);
    const before = QUERIES.map((query) => found(path, query));
    expect(before.flat().length).toBeGreaterThan(5);
    expect(hermesJson(["optimize-storage", "--db", path])).toMatchObject({ ok: true, layout: 3 });
    expect(QUERIES.map((query) => found(path, query))).toEqual(before);
    {
      using store = openStateStore({ path, mode: "read" });
      expect(store.read((r) => r.get(LEFT))).toEqual({ n: 0 });
    }
    expect(hermesJson(["optimize-storage", "--db", path])).toMatchObject({ ok: true, upgraded: false });
    expect(hermes(["check", "--db", path]).code).toBe(0);
  });
});

describe("verbs that rewrite much of the file", () => {
  it("SEA-12 SEA-10 are refused while another process has the store open, and name it; --force lets them", async () => {
    using home = tempHome();
    fillHome(home.path);
    await using holder = holdStore(home);
    await holder.waitForLine((line) => line === "open");
    for (const verb of VERBS) {
      const { code, stdout, stderr } = hermes([verb, "--home", home.path, "--json"]);
      expect([verb, code, stdout]).toEqual([verb, 1, ""]);
      const { error } = JSON.parse(stderr) as ErrorDocument;
      expect(error.code).toBe("STATE_E_STORE_HELD");
      expect(error.holders).toHaveLength(1);
      expect(error.holders[0]?.pid).toBe(holder.pid);
      expect(error.holders[0]?.command).toContain("hold-the-store.mjs");
      expect(hermes([verb, "--home", home.path, "--force"]).code).toBe(0);
    }
    holder.send("close");
    expect((await holder.exit).code).toBe(0);
  });

  it("SEA-12 SEA-13 tell sizes by pages, before and after", () => {
    using home = tempHome();
    fillHome(home.path);
    for (const verb of VERBS) {
      const report = hermesJson<{ bytesBefore: number; bytesAfter: number }>([verb, "--home", home.path]);
      expect(report.bytesBefore % 4096).toBe(0);
      expect(report.bytesAfter).toBeGreaterThan(0);
    }
    expect(hermes(["vacuum", "--home", home.path]).stdout).toMatch(/^The store is [\d.]+ KiB, /);
  });

  it("find nothing to do on a home without a store, and create none; a named file that is missing is an error", () => {
    using home = tempHome();
    for (const verb of VERBS) {
      expect(hermesJson([verb, "--home", home.path])).toMatchObject({ exists: false });
      expect(hermes([verb, "--db", home.file("none.db")]).code).toBe(3);
      expect(hermes([verb, "--home", home.path, "--readonly"]).code).toBe(0);
    }
    expect(hermesJson(["status", "--home", home.path])).toMatchObject({ exists: false });
  });
});

describePython("optimize-storage that is interrupted", () => {
  it("SEA-12 ends with 130 between two steps at Ctrl-C, and the next run goes on", async () => {
    using home = tempHome();
    buildOldStore(home.statePath, 22, { sessions: 2, messages: 3000 });
    await using child = spawnNode(commandPath(), ["optimize-storage", "--home", home.path, "--force"]);
    // This reader counts as another holder: the command rests between steps, so there is a between.
    using reader = openStateStore({ path: home.statePath, mode: "read" });
    const pending = (): number | undefined =>
      reader.read((r) => readIndexState(r, { fts5: true, trigram: true })).pending?.progress;
    const deadline = performance.now() + 30_000;
    while ((pending() ?? 0) === 0 && performance.now() < deadline) await new Promise((done) => setTimeout(done, 20));
    child.kill("SIGINT");
    expect((await child.exit).code).toBe(130);
    expect(pending()).toBeGreaterThan(0);
    reader.close();
    expect(hermesJson(["optimize-storage", "--home", home.path])).toMatchObject({ ok: true, upgraded: true });
    expect(found(home.statePath, "quokka")).toHaveLength(500);
  });
});
