import { expect, it } from "vitest";
import { columnsAt, knownColumnCounts, tableGenerations, upgradedOrder } from "./column-history.js";
import { column } from "./define.js";
import { TABLES } from "./tables.js";

it("SCH-12 knows the column counts that files have had, from the model's own history", () => {
  expect(knownColumnCounts(TABLES.sessions)).toEqual([
    14, 15, 26, 27, 30, 33, 35, 44, 46, 51, 52, 53, 54, 55, 56, 61, 62,
  ]);
  expect(knownColumnCounts(TABLES.messages)).toEqual([10, 13, 14, 15, 18, 19, 20, 21, 23, 26, 30]);
  expect(knownColumnCounts(TABLES.session_model_usage)).toEqual([17, 18]);
});

it("SCH-12 keeps every known count when a column is added", () => {
  for (const model of Object.values(TABLES)) {
    const next = { ...model, columns: [...model.columns, column("brand_new", "TEXT", 31)] };
    const counts = knownColumnCounts(next);
    expect(counts).toEqual([...knownColumnCounts(model), model.columns.length + 1]);
  }
});

it("SCH-12 counts the newest shape of every table", () => {
  for (const model of Object.values(TABLES)) {
    expect(knownColumnCounts(model).at(-1)).toBe(model.columns.length);
    expect(columnsAt(model, tableGenerations(model).at(-1) ?? 0)).toEqual(model.columns);
  }
});

it("SCH-12 gives the physical order of a file that was upgraded in place: later columns at the end", () => {
  const order = upgradedOrder(TABLES.messages, [23, 30]);
  expect(order.slice(0, 23)).toEqual(columnsAt(TABLES.messages, 23).map(({ name }) => name));
  expect(order.slice(23)).toEqual(["_compressed_summary", "display_identity", "display_order"]);
});
