import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildOldStore } from "@hermes/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openStateStore } from "../store/open-state-store.js";
import { readLegacyRouting } from "./read-legacy-routing.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-routing-"));
  mkdirSync(join(folder, "sessions"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(text: string): void {
  writeFileSync(join(folder, "sessions", "sessions.json"), text);
}

const ENTRY = {
  session_id: "s1",
  chat_type: "dm",
  display_name: "Ada",
  memory_flushed: true,
  origin: { platform: "telegram", chat_id: "c1", thread_id: "t1" },
};

it("SCH-04 reads the entries of an old routing file and skips what is none", () => {
  write(`\uFEFF${JSON.stringify({ _README: "x", "tg:u1": ENTRY, bad: 7, empty: {} })}`);
  expect(readLegacyRouting(join(folder, "state.db"))).toEqual([
    {
      sessionId: "s1",
      sessionKey: "tg:u1",
      chatId: "c1",
      chatType: "dm",
      threadId: "t1",
      displayName: "Ada",
      originJson: JSON.stringify(ENTRY.origin),
      expiryFinalized: true,
    },
  ]);
});

it.each(["", "{", "[]", "null"])("SCH-04 reads nothing from the file %j", (text) => {
  write(text);
  expect(readLegacyRouting(join(folder, "state.db")) ?? []).toEqual([]);
});

it("SCH-04 an upgrade from before version 18 copies the routing of its sessions", () => {
  const path = join(folder, "state.db");
  buildOldStore(path, 16);
  const before = openStateStore({ path, mode: "read" });
  const id = before.sessions.list({ includeChildren: true }).sessions[0]?.id ?? "";
  before.close();
  write(JSON.stringify({ "tg:u1": { ...ENTRY, session_id: id } }));
  using store = openStateStore({ path });
  expect(store.sessions.get(id)).toMatchObject({ sessionKey: "tg:u1", chatId: "c1", displayName: "Ada" });
});
