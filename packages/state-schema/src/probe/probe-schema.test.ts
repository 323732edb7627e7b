import { expect, it } from "vitest";
import { buildOldFile } from "../../test/old-file.js";
import { openTestHost } from "../../test/test-host.js";
import type { Reader, SqlValue } from "../sql/handles.js";
import { TABLES } from "../tables/tables.js";
import { planReadOverlay } from "./plan-read-overlay.js";
import { probeSchema, probeSql } from "./probe-schema.js";

it("SCH-10 qualifies every column by its table, so that no missing name is read as a text", () => {
  for (const model of Object.values(TABLES)) {
    const sql = probeSql(model);
    for (const { name } of model.columns) expect(sql).toContain(`"${model.name}"."${name}"`);
    expect(sql).toMatch(/LIMIT 0$/);
  }
});

it("SCH-10 finds what an old file lacks without writing", () => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 25, layout: 1 });
  const opens = host.transactions.length;
  host.db.pragma("query_only = ON");
  const probe = probeSchema(host);
  expect(probe.current).toBe(false);
  expect(probe.missingTables).toEqual([
    "gateway_hygiene_state",
    "gateway_heartbeats",
    "conversation_generations",
    "session_turn_leases",
  ]);
  expect(probe.missingColumns.filter(({ table }) => table === "messages").map(({ column }) => column)).toEqual([
    "_compressed_summary",
    "display_identity",
    "display_order",
    "message_uid",
    "absorbed_message_uids",
    "tool_call_uids",
    "tool_call_uid",
  ]);
  expect(host.transactions).toHaveLength(opens);
});

it("SCH-10 does not take another failure for an old file", () => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 31, layout: 3 });
  const locked: Reader = {
    ...host,
    all: <T extends object>(sql: string, params?: readonly SqlValue[]): T[] => {
      if (sql.includes("LIMIT 0")) throw Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
      return host.all<T>(sql, params);
    },
  };
  expect(() => probeSchema(locked)).toThrow(/locked/);
});

it("SCH-10 sees the age of a file also behind a read overlay", () => {
  using host = openTestHost(":memory:");
  buildOldFile(host, { version: 25, layout: 1 });
  const before = probeSchema(host);
  for (const sql of planReadOverlay(host)) host.db.exec(sql);
  expect(probeSchema(host)).toEqual(before);
});
