import { readFileSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { eraseSessions } from "@hermes/state-portability";
import { tempHome } from "@hermes/testkit";
import { expect, it } from "vitest";
import { collectCanaries } from "../../src/erase/collect-canaries.js";
import { FingerprintSet } from "../../src/erase/fingerprint-set.js";
import { scanStoreFiles } from "../../src/erase/scan-files.js";

const INSERT = "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)";

function open(path: string): StateStore {
  const store = openStateStore({ path, durability: "normal" });
  store.sessions.create({ id: "keep", source: "cli" });
  store.sessions.create({ id: "gone", source: "cli" });
  store.messages.append("keep", { role: "user", content: "ordinary things" });
  return store;
}

/** Deletes without overwriting, and says how many canaries of `gone` the files still hold. */
async function leftBehind(store: StateStore, set?: FingerprintSet): Promise<{ found: number; unsampled: number }> {
  const { needles, unsampled } = await collectCanaries((fn) => store.read(fn), ["gone"], {}, set);
  store.write("a plain deletion", (w) => w.get("PRAGMA secure_delete = OFF"));
  store.retention.delete("gone");
  store.close();
  const files = await scanStoreFiles(store.path, needles);
  return { found: files.reduce((sum, file) => sum + file.found, 0), unsampled };
}

it("POR-06 looks for bytes that are no text, and not for what any file is full of", async () => {
  using home = tempHome();
  const blob = Buffer.from(Array.from({ length: 4_000 }, (_, index) => (index * 167 + 13) % 251));
  for (const [name, content, left] of [
    ["blob", blob, true],
    ["zeros", Buffer.alloc(4_000), false],
  ] as const) {
    const path = home.file(`${name}.db`);
    const store = open(path);
    store.write("bytes for a test", (w) => w.run(INSERT, ["gone", "user", content, 1]));
    expect({ name, found: (await leftBehind(store)).found > 0 }).toEqual({ name, found: left });
    const again = openStateStore({ path });
    again.sessions.create({ id: "gone", source: "cli" });
    again.write("bytes for a test", (w) => w.run(INSERT, ["gone", "user", content, 1]));
    expect(await eraseSessions(again, ["gone"])).toMatchObject({ clean: true, unsampled: 0 });
    expect(readFileSync(path).includes(blob.subarray(0, 48))).toBe(false);
  }
});

it("POR-06 looks for bytes that the driver cannot decode as text", async () => {
  using home = tempHome();
  const store = open(home.statePath);
  store.write("a text for a test", (w) =>
    w.run("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('gone', 'user', CAST(? AS TEXT), 1)", [
      Buffer.concat([Buffer.from([0xed, 0xa0, 0x80]), Buffer.from("xylophon."), Buffer.from([0xff])]),
    ]),
  );
  expect((await leftBehind(store)).found).toBeGreaterThan(0);
});

it("POR-06 bytes of a row that stays are nobody's trace", async () => {
  using home = tempHome();
  const store = open(home.statePath);
  const blob = Buffer.from("bytes that both of them have, as a picture that was sent twice");
  for (const id of ["gone", "keep"]) {
    store.write("bytes for a test", (w) => w.run(INSERT, [id, "user", blob, 1]));
  }
  expect(await eraseSessions(store, ["gone"])).toMatchObject({ clean: true });
  expect(readFileSync(home.statePath).includes(blob)).toBe(true);
});

const MANY = 60_000;

function fillMany(store: StateStore): void {
  store.write("many rows for a test", (w) => {
    // They are not searched for here, and an index takes its time.
    for (const { name } of w.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'trigger'")) {
      w.exec(`DROP TRIGGER "${name}"`);
    }
    for (let index = 0; index < MANY; index++) {
      const name = Math.imul(index + 1, 0x9e3779b1) >>> 0;
      w.run(INSERT, ["gone", "user", `the number ${name.toString(36)}x${String(index)} and what it means`, 1]);
    }
  });
}

it("POR-06 looks for every one of 60,000 messages, not only for those it met first", async () => {
  using home = tempHome();
  const store = open(home.statePath);
  fillMany(store);
  const { needles, unsampled } = await collectCanaries((fn) => store.read(fn), ["gone"], {});
  expect(unsampled).toBe(0);
  expect(needles.size).toBeGreaterThan(MANY);
  const seen = new Set<number>();
  for (let index = MANY - 500; index < MANY; index++) {
    const name = Math.imul(index + 1, 0x9e3779b1) >>> 0;
    const found = new Set<number>();
    needles.scan(Buffer.from(`the number ${name.toString(36)}x${String(index)} and what it means`), (id) => {
      found.add(id);
      seen.add(id);
    });
    expect(found.size).toBeGreaterThan(0);
  }
  expect(seen.size).toBeGreaterThan(500);
  store.close();
}, 60_000);

it("POR-06 is sparing when much is to be looked for, and tells of how much it looked for nothing", async () => {
  using home = tempHome();
  const store = open(home.statePath);
  store.messages.appendBatch(
    "gone",
    Array.from({ length: 300 }, (_, index) => ({ role: "user", content: `${String(index)} is a number of a message` })),
  );
  const { needles, unsampled } = await collectCanaries((fn) => store.read(fn), ["gone"], {}, new FingerprintSet(200));
  expect(needles.size).toBeGreaterThan(100);
  // Its rows have several texts each: of those of the last messages none found room.
  expect(unsampled).toBeGreaterThan(100);
  store.close();
});
