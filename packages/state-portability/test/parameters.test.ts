import { openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { eraseSessions, exportStore, exportThenDelete } from "@hermes/state-portability";
import type { ExportOptions, LineageScope } from "@hermes/state-portability";
import { tempHome } from "@hermes/testkit";
import { expect, it } from "vitest";
import { countingDriver, MOST_PARAMETERS } from "./counting-driver.js";
import { memorySink } from "./support.js";

const COUNT = 2_100;
const ids = Array.from({ length: COUNT }, (_, index) => `s${String(index).padStart(4, "0")}`);

/** 2,100 sessions, each with a message, a delegate of one in three, and a prompt. */
function fill(store: StateStore): void {
  store.write("many sessions for a test", (w) => {
    for (const [index, id] of ids.entries()) {
      const parent = index % 3 === 2 ? (ids[index - 1] ?? null) : null;
      const config = parent === null ? null : JSON.stringify({ _delegate_from: parent });
      const prompt = "a".repeat(60) + String(1_000 + (index % 900));
      w.run("INSERT OR IGNORE INTO system_prompts (hash, prompt) VALUES (?, ?)", [prompt, `You are ${prompt}`]);
      w.run(
        `INSERT INTO sessions (id, source, started_at, parent_session_id, model_config, system_prompt_hash)
         VALUES (?, 'cli', ?, ?, ?, ?)`,
        [id, 1_769_000_000 + index, parent, config, prompt],
      );
      w.run("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, 1)", [id, `says ${id}`]);
    }
  });
}

it.each<[string, (store: StateStore, path: string) => Promise<number>]>([
  ["an export by id", async (store) => (await exportStore(store, memorySink(), byId())).sessions],
  ["an export with lineage", async (store) => (await exportStore(store, memorySink(), byId("logical"))).sessions],
  ["an export of everything", async (store) => (await exportStore(store, memorySink(), { format: "jsonl" })).sessions],
  [
    "an export by filter",
    async (store) => (await exportStore(store, memorySink(), { format: "jsonl", filter: { source: "cli" } })).sessions,
  ],
  ["a deletion", (store) => Promise.resolve(store.retention.delete(ids).sessions.length)],
  [
    "a deletion with lineage",
    (store) => Promise.resolve(store.retention.delete(ids, { includeLineage: true }).deleted),
  ],
  ["a move out", async (store, path) => (await exportThenDelete(store, `${path}.jsonl`, { sessionIds: ids })).sessions],
  ["an erasure", async (store) => (await eraseSessions(store, ids)).sessions.length],
])("POR-08 gives no statement of %s of 2,100 sessions more than 500 values", async (_what, work) => {
  using home = tempHome();
  const driver = countingDriver();
  using store = openStateStore({ path: home.statePath, driver, durability: "normal" });
  fill(store);
  expect(await work(store, home.statePath)).toBe(COUNT);
  expect(driver.statements).toBeGreaterThan(COUNT);
  expect(driver.most).toBeLessThanOrEqual(MOST_PARAMETERS);
});

function byId(lineage: LineageScope = "single"): ExportOptions {
  return { format: "jsonl", sessionIds: ids, lineage };
}

it("POR-08 is noticed by the test when a statement is given more: 501 parameters, or a list of 501", () => {
  using home = tempHome();
  using store = openStateStore({ path: home.statePath, driver: countingDriver() });
  const values = Array.from({ length: MOST_PARAMETERS + 1 }, (_, index) => index);
  const marks = values.map(() => "?").join(", ");
  const bound = (): unknown => store.read((r) => r.all(`SELECT id FROM messages WHERE id IN (${marks})`, values));
  const listed = (): unknown =>
    store.read((r) => r.all("SELECT value FROM json_each(?)", [JSON.stringify(values.map(String))]));
  expect(bound).toThrow(/501 values/);
  expect(listed).toThrow(/501 values/);
  expect(store.read((r) => r.all("SELECT value FROM json_each(?)", [JSON.stringify(values.slice(1))]))).toHaveLength(
    500,
  );
});
