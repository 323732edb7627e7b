import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openStateStore } from "@hermes/state-core";
import { childEnvironment, repoRoot, spawnChild, tempDir } from "@hermes/testkit";
import type { Child } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { loadSessionStore, resolveSessionStoreEntry, updateSessionStore } from "../src/session-store/index.js";

const FACE = join(repoRoot(), "compat", "entries", "session-store");
const ESM = JSON.stringify(pathToFileURL(`${FACE}.mjs`).href);
const CJS = JSON.stringify(`${FACE}.cjs`);
const NAMES = "loadSessionStore, updateSessionStore, resolveSessionFilePath, resolveSessionStoreEntry";

/** Every way a plugin gets at the four names. */
const FORMS = [
  ["a named import", "module", `import { ${NAMES} } from ${ESM};`],
  ["a namespace import", "module", `import * as face from ${ESM}; const { ${NAMES} } = face;`],
  ["a dynamic import", "module", `const { ${NAMES} } = await import(${ESM});`],
  ["a dynamic import of CommonJS", "commonjs", `const face = import(${ESM});`],
  ["a require", "commonjs", `const { ${NAMES} } = require(${CJS});`],
  ["a require of the whole module", "commonjs", `const face = require(${CJS});`],
] as const;

/** Starts a plugin in a process of its own. */
function plugin(kind: "module" | "commonjs", code: string, ...args: readonly string[]): Child {
  const env = childEnvironment({ HERMES_STATE_COMPAT: "silent" });
  return spawnChild(process.execPath, [`--input-type=${kind}`, "-e", code, ...args], { env });
}

/** Counts in an entry that all share and in one of its own. */
const COUNTS = `
  const [place, name, times] = process.argv.slice(1);
  for (let n = 0; n < Number(times); n++) {
    await updateSessionStore(place, async (snapshot) => {
      snapshot.shared.count += 1;
      snapshot.shared[name] = n + 1;
      snapshot[name] ??= { count: 0 };
      snapshot[name].count += 1;
      await null;
    });
  }`;

function plant(home: string, entries: Readonly<Record<string, Record<string, number | string>>>): string {
  const scope = join(home, "sessions");
  using store = openStateStore({ path: join(home, "state.db") });
  for (const [key, entry] of Object.entries(entries)) store.routing.save(scope, key, entry);
  return scope;
}

describe("the whole-store helpers in several processes", () => {
  it("P29 CPT-10 two plugins that count in one entry and in their own lose nothing", { timeout: 90_000 }, async () => {
    using dir = tempDir();
    const scope = plant(dir.path, { shared: { count: 0, note: "kept" }, other: { session_id: "s1" } });
    await using first = plugin("module", `import { updateSessionStore } from ${ESM};${COUNTS}`, scope, "first", "20");
    await using second = plugin(
      "commonjs",
      `const { updateSessionStore } = require(${CJS}); void (async () => {${COUNTS}})();`,
      join(scope, "sessions.json"),
      "second",
      "20",
    );
    for (const { code, stderr } of await Promise.all([first.exit, second.exit]))
      expect([code, stderr]).toEqual([0, ""]);
    expect(loadSessionStore(scope)).toEqual({
      shared: { count: 40, note: "kept", first: 20, second: 20 },
      other: { session_id: "s1" },
      first: { count: 20 },
      second: { count: 20 },
    });
  });

  it("P29 CPT-10 a plugin that is killed in the middle has changed nothing, and is in nobody's way", async () => {
    using dir = tempDir();
    const scope = plant(dir.path, { shared: { count: 1 } });
    await using killed = plugin(
      "module",
      `import { updateSessionStore } from ${ESM};
       await updateSessionStore(process.argv[1], async (snapshot) => {
         snapshot.shared.count = 99;
         delete snapshot.other;
         console.log("inside");
         await new Promise((resolve) => setTimeout(resolve, 60_000));
       });`,
      scope,
    );
    await killed.waitForLine((line) => line === "inside");
    await updateSessionStore(scope, (snapshot) => void (snapshot["shared"]!["count"] = 2));
    killed.kill();
    expect((await killed.exit).signal).toBe("SIGKILL");
    await updateSessionStore(scope, (snapshot) => void (snapshot["shared"]!["seen"] = true));
    expect(loadSessionStore(scope)).toEqual({ shared: { count: 2, seen: true } });
  });

  it.each(FORMS)(
    "P29 CPT-02 %s reads one entry and updates one field",
    { timeout: 60_000 },
    async (form, kind, imports) => {
      using dir = tempDir();
      const scope = plant(dir.path, { one: { session_id: "s1", name: "old" }, two: { session_id: "s2" } });
      const given = imports.includes("const face") ? `const { ${NAMES} } = await face;` : "";
      const work = `${given}
      const place = process.argv[1];
      console.log(resolveSessionStoreEntry({ storePath: place, sessionKey: "one" }).entry.session_id);
      console.log(loadSessionStore(place).two.session_id);
      console.log(resolveSessionFilePath("s1", null, { storePath: place }).endsWith("s1.jsonl"));
      await updateSessionStore(place, (snapshot) => { snapshot.one.name = "new"; });`;
      const code = kind === "module" ? `${imports}${work}` : `${imports} void (async () => {${work}})();`;
      await using child = plugin(kind, code, scope);
      expect({ form, ...(await child.exit) }).toMatchObject({ code: 0, stdout: "s1\ns2\ntrue", stderr: "" });
      expect(loadSessionStore(scope)).toEqual({ one: { session_id: "s1", name: "new" }, two: { session_id: "s2" } });
    },
  );
});

describe("the whole-store helpers under attack", () => {
  it("P29 CPT-10 ask again where others changed the same field, and where they added the same key", async () => {
    using dir = tempDir();
    const scope = plant(dir.path, { a: { count: 1, name: "x" } });
    let calls = 0;
    const told = await updateSessionStore(scope, (snapshot) => {
      calls++;
      snapshot["a"]!["count"] = Number(snapshot["a"]!["count"]) + 1;
      snapshot["b"] ??= { count: 0 };
      snapshot["b"]["count"] = Number(snapshot["b"]["count"]) + 1;
      if (calls === 1) plant(dir.path, { a: { count: 10, name: "theirs" } });
      if (calls === 2) plant(dir.path, { b: { count: 5 } });
      return calls;
    });
    expect(told).toBe(3);
    expect(loadSessionStore(scope)).toEqual({ a: { count: 11, name: "theirs" }, b: { count: 6 } });
  });

  it("P29 CPT-10 give up, having written nothing, where others are always faster", { timeout: 60_000 }, async () => {
    using dir = tempDir();
    const scope = plant(dir.path, { a: { count: 0 } });
    let theirs = 0;
    const late = updateSessionStore(scope, (snapshot) => {
      snapshot["a"]!["count"] = -1;
      snapshot["new"] = { session_id: "mine" };
      plant(dir.path, { a: { count: ++theirs } });
    });
    await expect(late).rejects.toMatchObject({ code: "STATE_E_BUSY", facts: { tries: 100 } });
    expect(theirs).toBe(100);
    expect(loadSessionStore(scope)).toEqual({ a: { count: theirs } });
  });

  it("P29 CPT-10 write no row and no field that was not touched, whatever stands there", async () => {
    using dir = tempDir();
    const scope = plant(dir.path, {});
    const odd = '{"a":NaN,"z":-0.0,"u":1.0}';
    const path = join(dir.path, "state.db");
    using store = openStateStore({ path });
    const insert = "INSERT INTO gateway_routing (scope, session_key, entry_json, updated_at) VALUES (?, ?, ?, 1)";
    store.write("store what another program wrote", (w) => {
      for (const [key, text] of Object.entries({ odd, bad: "{", list: "[1]", constructor: odd })) {
        w.run(insert, [scope, key, text]);
      }
    });
    await updateSessionStore(scope, (snapshot) => {
      snapshot["toString"] = { session_id: "s1" };
      delete snapshot["none"];
    });
    await updateSessionStore(scope, async (snapshot) => {
      snapshot["odd"]!["name"] = "x";
      // Others change what a snapshot cannot even hold as it is stored.
      store.routing.save(scope, "odd", { a: 1, z: 2, u: 3 });
      await Promise.resolve();
    });
    const rows = store.read((r) =>
      r.all<{ session_key: string; entry_json: string }>(
        "SELECT session_key, entry_json FROM gateway_routing WHERE scope = ?",
        [scope],
      ),
    );
    expect(Object.fromEntries(rows.map((row) => [row.session_key, row.entry_json]))).toEqual({
      odd: '{"a": 1, "z": 2, "u": 3, "name": "x"}',
      bad: "{",
      list: "[1]",
      constructor: odd,
      toString: '{"session_id": "s1"}',
    });
  });

  it("P29 take a mutator that returns nothing or waits, and change nothing for one that throws or breaks an entry", async () => {
    using dir = tempDir();
    const scope = plant(dir.path, { a: { n: 1 } });
    await expect(updateSessionStore(scope, () => undefined)).resolves.toBeUndefined();
    const later = async (snapshot: Record<string, Record<string, unknown>>): Promise<string> => {
      await new Promise((resolve) => setImmediate(resolve));
      snapshot["a"]!["n"] = 2;
      return "later";
    };
    expect(await updateSessionStore(scope, later)).toBe("later");
    const rejects = updateSessionStore(scope, async (snapshot) => {
      snapshot["a"]!["n"] = 3;
      await Promise.reject(new Error("no"));
    });
    await expect(rejects).rejects.toThrow("no");
    for (const broken of [null, "text", 7, [1]]) {
      const breaks = updateSessionStore(scope, (snapshot) => {
        snapshot["a"]!["n"] = 4;
        snapshot["b"] = broken as never;
      });
      await expect(breaks, JSON.stringify(broken)).rejects.toThrow(TypeError);
    }
    const round: Record<string, unknown> = {};
    round["round"] = round;
    await expect(updateSessionStore(scope, (snapshot) => Object.assign(snapshot, { b: round }))).rejects.toThrow(
      TypeError,
    );
    await expect(updateSessionStore(scope, "no function" as never)).rejects.toThrow(TypeError);
    expect(loadSessionStore(scope)).toEqual({ a: { n: 2 } });
  });

  it("P29 a key that is not there has no entry, and asking makes nothing", () => {
    using dir = tempDir();
    const storePath = join(dir.path, "sessions");
    for (const sessionKey of ["none", "constructor", "__proto__", ""]) {
      expect(resolveSessionStoreEntry({ storePath, sessionKey }).entry).toBeUndefined();
      expect(resolveSessionStoreEntry({ store: {}, sessionKey }).entry).toBeUndefined();
    }
    expect(existsSync(join(dir.path, "state.db"))).toBe(false);
  });
});
