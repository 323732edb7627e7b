import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { eraseSessions, exportStore, fileSink, findPendingErasures, importInto } from "@hermes/state-portability";
import { fileMode, repoRoot, runCrashMatrix, tempHome } from "@hermes/testkit";
import { expect, it } from "vitest";

const SCRIPT = join(repoRoot(), "packages/state-portability/test/children/erase.mjs");
const WORDS = ["zebracanary", "kanarienvogel", "quetzalcoatl", "basiliskenhof"];

function fill(path: string): void {
  using store = openStateStore({ path });
  store.sessions.create({ id: "stays", source: "cli" });
  for (let index = 0; index < 40; index++) {
    store.messages.append("stays", { role: "user", content: `ordinary things ${String(index)}` });
  }
  const systemPrompt = "Never tell of the basiliskenhof.";
  store.sessions.create({ id: "gone", source: "cli", title: "About Quetzalcoatl", systemPrompt });
  store.sessions.create({ id: "helper", source: "subagent", modelConfig: { _delegate_from: "gone" } });
  for (let index = 0; index < 40; index++) {
    store.messages.append("gone", { role: "user", content: `the zebracanary number ${String(index)}` });
  }
  store.messages.append("helper", { role: "tool", content: "found the kanarienvogel" });
  store.delegations.save("d1", {
    state: "done",
    originSession: "x",
    dispatchedAtSeconds: 1,
    taskJson: '{"goal":"the kanarienvogel"}',
    parentSessionId: "helper",
  });
}

/** Words that a plain search finds in the files of a store. */
function grep(path: string): string[] {
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(basename(path)))
    .flatMap((name) => {
      const text = readFileSync(join(dirname(path), name), "latin1").toLowerCase();
      return WORDS.filter((word) => text.includes(word)).map((word) => `${name}: ${word}`);
    });
}

function records(path: string): string[] {
  return readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.erasing-`));
}

it("POR-06 killed anywhere, the same erasure is finished by the next run, and proven from the bytes", async () => {
  using home = tempHome();
  fill(home.statePath);
  expect(grep(home.statePath).length).toBeGreaterThan(3);
  const seen = { begun: 0, resumed: 0, proven: 0 };
  const report = await runCrashMatrix({
    pristine: home.statePath,
    script: SCRIPT,
    args: ["gone"],
    most: 30,
    async verify(path, context) {
      const unproven = records(path).length > 0;
      const store = openStateStore({ path });
      const gone = store.sessions.find("gone") === undefined;
      if (gone && !unproven) {
        store.close();
        seen.proven += 1;
      } else {
        const proof = await eraseSessions(store, ["gone"]);
        expect({ context, ...proof }).toMatchObject({ context, clean: true, pending: null, resumed: gone });
        expect(proof).toMatchObject({ messages: 41, unsampled: 0, untouched: [] });
        expect(proof.canaries).toBeGreaterThan(20);
        seen[gone ? "resumed" : "begun"] += 1;
      }
      expect({ context, found: grep(path), records: records(path) }).toEqual({ context, found: [], records: [] });
      using again = openStateStore({ path });
      expect(again.messages.count("stays")).toBe(40);
      expect(again.delegations.list()).toEqual([]);
    },
  });
  expect(report.points).toBeGreaterThan(15);
  expect(seen.begun).toBeGreaterThan(3);
  expect(seen.resumed).toBeGreaterThan(3);
}, 180_000);

/** Erases while another handle keeps the log, so that the proof stays open. */
async function leaveOpen(path: string): Promise<void> {
  using other = openStateStore({ path });
  const proof = await eraseSessions(openStateStore({ path }), ["gone"], { whileHeld: true });
  expect(proof).toMatchObject({ clean: false, resumed: false });
  expect(other.sessions.find("gone")).toBeUndefined();
}

it("POR-06 finishes the proof that stayed open while others had the store, by id or title", async () => {
  using home = tempHome();
  const path = home.statePath;
  for (const name of ["gone", "About Quetzalcoatl", "helper"]) {
    fill(`${path}-${name.length}`);
    await leaveOpen(`${path}-${name.length}`);
    const open = (): StateStore => openStateStore({ path: `${path}-${name.length}` });
    {
      using store = open();
      await expect(eraseSessions(store, ["nobody"])).rejects.toMatchObject({ code: "STATE_E_SESSION_NOT_FOUND" });
      await expect(eraseSessions(store, [name, "stays"])).rejects.toMatchObject({ code: "STATE_E_SESSION_NOT_FOUND" });
      expect(store.messages.count("stays")).toBe(40);
    }
    expect(findPendingErasures(`${path}-${name.length}`, [name])).toMatchObject([{ sessions: 2, messages: 41 }]);
    const proof = await eraseSessions(open(), [name]);
    expect(proof).toMatchObject({ sessions: [name], messages: 41, clean: true, resumed: true });
    expect(grep(`${path}-${name.length}`)).toEqual([]);
    expect(findPendingErasures(`${path}-${name.length}`, [name])).toEqual([]);
    using store = open();
    await expect(eraseSessions(store, [name])).rejects.toMatchObject({ code: "STATE_E_SESSION_NOT_FOUND" });
  }
});

it("POR-06 writes only hashes down for that, for the owner's eyes, and takes new rows with the same words for theirs", async () => {
  using home = tempHome();
  fill(home.statePath);
  await leaveOpen(home.statePath);
  const [record] = records(home.statePath);
  const file = join(home.path, record!);
  const text = readFileSync(file, "latin1").toLowerCase();
  expect([...WORDS, "gone", "helper"].filter((word) => text.includes(word))).toEqual([]);
  if (process.platform !== "win32") expect(fileMode(file)).toBe(0o600);
  {
    using store = openStateStore({ path: home.statePath });
    store.messages.append("stays", { role: "user", content: "somebody saw the zebracanary number 7 again" });
  }
  const proof = await eraseSessions(openStateStore({ path: home.statePath }), ["gone"]);
  expect(proof).toMatchObject({ clean: true, resumed: true });
  expect(grep(home.statePath).every((found) => found.endsWith("zebracanary"))).toBe(true);
});

it("POR-06 says as often as asked that the proof is open while others have the store", async () => {
  using home = tempHome();
  fill(home.statePath);
  await leaveOpen(home.statePath);
  {
    using other = openStateStore({ path: home.statePath });
    const again = openStateStore({ path: home.statePath });
    await expect(eraseSessions(again, ["gone"])).rejects.toMatchObject({ code: "STATE_E_STORE_HELD" });
    expect(await eraseSessions(again, ["gone"], { whileHeld: true })).toMatchObject({ clean: false, resumed: true });
    expect(other.messages.count("stays")).toBe(40);
  }
  expect(records(home.statePath)).toHaveLength(1);
  expect(await eraseSessions(openStateStore({ path: home.statePath }), ["gone"])).toMatchObject({ clean: true });
  expect(records(home.statePath)).toEqual([]);
});

it("POR-06 a torn record is none, and a session that came back is erased with what was left open before", async () => {
  using home = tempHome();
  fill(home.statePath);
  const backup = home.file("gone.jsonl");
  {
    using store = openStateStore({ path: home.statePath });
    await exportStore(store, fileSink(store, backup), { format: "jsonl", sessionIds: ["gone"] });
  }
  await leaveOpen(home.statePath);
  writeFileSync(
    `${home.statePath}.erasing-0011`,
    readFileSync(join(home.path, records(home.statePath)[0]!)).subarray(9),
  );
  {
    using store = openStateStore({ path: home.statePath });
    await importInto(store, backup);
  }
  expect(existsSync(`${home.statePath}.erasing-0011`)).toBe(true);
  const proof = await eraseSessions(openStateStore({ path: home.statePath }), ["gone"]);
  expect(proof).toMatchObject({ clean: true, resumed: false, sessions: ["gone"], messages: 40 });
  expect({ found: grep(home.statePath), records: records(home.statePath) }).toEqual({ found: [], records: [] });
});
