import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isStateError } from "../errors/state-error.js";
import { closeWithLastConnection, liveConnectionCount, openOfflineScope, openRegistered } from "./live-connections.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-live-"));
  file = join(folder, "state.db");
  writeFileSync(file, "");
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    return isStateError(error) ? error.code : String(error);
  }
  return undefined;
}

it("COR-07 refuses raw access while a connection is live, by any spelling of its path", () => {
  const link = join(folder, "link.db");
  symlinkSync(file, link);
  const { unregister } = openRegistered(file, () => "connection");
  expect(codeOf(() => openOfflineScope(file))).toBe("STATE_E_LIVE_CONNECTION");
  expect(codeOf(() => openOfflineScope(link))).toBe("STATE_E_LIVE_CONNECTION");
  unregister();
  openOfflineScope(link)[Symbol.dispose]();
});

it("COR-07 refuses to open while an offline scope is open, and lets go with the last one", () => {
  const first = openOfflineScope(file);
  const second = openOfflineScope(file);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  expect(codeOf(() => openRegistered(file, () => "connection"))).toBe("STATE_E_OFFLINE_IN_USE");
  second[Symbol.dispose]();
  openRegistered(file, () => "connection").unregister();
});

it("COR-07 counts connections, once each, and forgets an open that failed", () => {
  const first = openRegistered(file, () => 1);
  const second = openRegistered(file, () => 2);
  expect(liveConnectionCount(file)).toBe(2);
  first.unregister();
  first.unregister();
  expect(liveConnectionCount(file)).toBe(1);
  expect(() =>
    openRegistered(file, () => {
      throw new Error("no");
    }),
  ).toThrow("no");
  expect(liveConnectionCount(file)).toBe(1);
  second.unregister();
  expect(liveConnectionCount(file)).toBe(0);
});

it("COR-03 closes what belongs to a file with the last connection, once", () => {
  const closed: string[] = [];
  expect(closeWithLastConnection(file, () => closed.push("never"))).toBe(false);
  const first = openRegistered(file, () => 1);
  const second = openRegistered(file, () => 2);
  expect(closeWithLastConnection(file, () => closed.push("companion"))).toBe(true);
  first.unregister();
  expect(closed).toEqual([]);
  second.unregister();
  openRegistered(file, () => 3).unregister();
  expect(closed).toEqual(["companion"]);
});
