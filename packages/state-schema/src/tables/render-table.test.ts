import { expect, it } from "vitest";
import { openTestHost } from "../../test/test-host.js";
import { renderIndex, renderTable } from "./render-table.js";
import { TABLES } from "./tables.js";

it("SCH-01 renders DDL that the engine reads back as the model", () => {
  using host = openTestHost(":memory:");
  for (const model of Object.values(TABLES)) host.db.exec(renderTable(model));
  for (const model of Object.values(TABLES)) {
    const columns = host.db
      .prepare('SELECT name, type, "notnull", dflt_value FROM pragma_table_info(?)')
      .all(model.name);
    expect(columns).toEqual(
      model.columns.map((column) => ({
        name: column.name,
        type: column.type,
        notnull: column.notNull ? 1 : 0,
        dflt_value:
          column.default === undefined
            ? null
            : typeof column.default === "number"
              ? String(column.default)
              : `'${column.default}'`,
      })),
    );
    const key = host.db
      .prepare(
        `SELECT name
      FROM pragma_table_info(?)
      WHERE pk > 0
      ORDER BY pk`,
      )
      .pluck()
      .all(model.name);
    expect(key).toEqual(model.primaryKey);
    for (const index of model.indexes) host.db.exec(renderIndex(model, index));
  }
});

it("GND-01 has the newest shape: 62 session columns, 30 message columns", () => {
  expect(TABLES.sessions.columns).toHaveLength(62);
  expect(TABLES.messages.columns).toHaveLength(30);
});

it("SCH-02 gives every column that an old file can lack a default or no constraint, so that it can be added", () => {
  const unaddable = Object.values(TABLES).flatMap((model) => {
    const first = Math.min(...model.columns.map(({ since }) => since));
    return model.columns.filter((column) => column.since > first && column.notNull && column.default === undefined);
  });
  expect(unaddable).toEqual([]);
});

it("SCH-01 names every index and table once", () => {
  const names = Object.values(TABLES).flatMap((model) => [model.name, ...model.indexes.map(({ name }) => name)]);
  expect(new Set(names).size).toBe(names.length);
});
