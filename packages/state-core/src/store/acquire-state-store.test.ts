import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { liveConnectionCount } from "../connection/live-connections.js";
import { acquireStateStore, sharedStateStores } from "./acquire-state-store.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-shared-"));
  path = join(folder, "state.db");
});
afterEach(() => {
  expect(sharedStateStores()).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

it("COR-37 gives one handle to everybody who names the file, and closes it with the last", () => {
  const first = acquireStateStore(path);
  const second = acquireStateStore(`${folder}/./state.db`);
  expect(second).toBe(first);
  expect(sharedStateStores()).toEqual([{ store: first, references: 2 }]);
  first.close();
  second.sessions.create({ id: "s", source: "cli" });
  second.close();
  second.close();
  expect(liveConnectionCount(path)).toBe(0);
  expect(() => second.sessions.find("s")).toThrow(expect.objectContaining({ code: "STATE_E_CLOSED" }));
});

it("COR-37 retires a handle whose file was replaced, and leaves it to its holders", () => {
  const old = acquireStateStore(path);
  renameSync(path, `${path}.old`);
  const next = acquireStateStore(path);
  expect(next).not.toBe(old);
  expect(() => old.sessions.create({ id: "s", source: "cli" })).toThrow(
    expect.objectContaining({ code: "STATE_E_REPLACED" }),
  );
  next.sessions.create({ id: "s", source: "cli" });
  old.close();
  expect(next.sessions.find("s")?.id).toBe("s");
  next.close();
});

it("COR-37 refuses settings that the shared handle does not have", () => {
  const first = acquireStateStore(path, { durability: "normal" });
  expect(() => acquireStateStore(path, { durability: "full" })).toThrow(TypeError);
  expect(acquireStateStore(path)).toBe(first);
  first.close();
  first.close();
});

it("COR-37 keeps readers and writers apart", () => {
  const writer = acquireStateStore(path);
  const reader = acquireStateStore(path, { mode: "read" });
  expect(reader).not.toBe(writer);
  reader.close();
  writer.close();
});
